import { afterAll, expect, test } from 'bun:test'
import { connectDatabase } from '../drizzle/database'
import { startTracing } from '../src/tracing'
import { createTestApp, insertCounty } from './http/test-app'
import { createTestDatabase, waitFor } from './servers'

/** A collector that keeps what it is sent (OTLP over HTTP, JSON). */
interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  status: { code?: number }
}
const received: ReceivedSpan[] = []
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    // biome-ignore lint/suspicious/noExplicitAny: the protocol's nesting
    const { resourceSpans } = (await request.json()) as any
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) received.push(...spans)
    return Response.json({})
  },
})
const tracing = startTracing(`http://127.0.0.1:${collector.port}/`, 'api')
afterAll(() => collector.stop(true))

test('a request continues the trace of its caller; what it asks of Postgres is in it, without values', async () => {
  const { url } = await createTestDatabase()
  const sql = connectDatabase(url, { traced: true })
  await insertCounty(sql)
  const { call } = await createTestApp({ sql })
  const traceId = 'ab'.repeat(16)
  await call('/v1/parcels/elm/SECRET-ID', { headers: { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` } })
  await sql.begin((tx) => tx`select 1 as inside_transaction`)
  await sql`select no_such_column`.catch(() => {})
  await tracing.stop()
  await waitFor(() => received.length > 0)
  await sql.end()

  const request = received.find((span) => span.traceId === traceId && span.name === 'GET /v1/parcels/:source/:id')
  expect(request).toMatchObject({ parentSpanId: 'cd'.repeat(8) })
  const query = received.find((span) => span.parentSpanId === request?.spanId)
  expect(query?.name).toBe('postgres')
  expect(JSON.stringify(query?.attributes)).toContain('from parcels where source = ? and source_parcel_id = ?')
  expect(JSON.stringify(received)).not.toContain('SECRET-ID')
  const textOf = (span: ReceivedSpan) => JSON.stringify(span.attributes)
  expect(received.some((span) => textOf(span).includes('inside_transaction'))).toBe(true)
  expect(received.find((span) => textOf(span).includes('no_such_column'))?.status.code).toBe(2)
})
