import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { connectDatabase } from '../drizzle/database'
import { createSearch } from '../search/search'
import { createEmbeddedQueue } from '../src/jobs/bunqueue'
import { createDispatcher } from '../src/jobs/dispatcher'
import { createWorker } from '../src/jobs/worker'
import { createScrapeParcel } from '../src/services/scrape-parcel'
import { startTracing } from '../src/tracing'
import { createTestApp, insertCounty } from './http/test-app'
import { enqueue, findJob, insertSource, insertVendor } from './jobs/job-rows'
import { createTestAdapter, createTestContext } from './jobs/test-adapter'
import { createTestDatabase, testMeilisearch, waitFor } from './servers'

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
const dir = mkdtempSync(join(tmpdir(), 'tracing-'))
afterAll(() => rmSync(dir, { recursive: true }))

test('a search and a job are in their traces with what they ask for', async () => {
  const { url, sql: plain } = await createTestDatabase()
  const sql = connectDatabase(url, { traced: true })
  await insertVendor(plain, 'test', 1)
  await insertSource(plain, 'ash', 'test')
  const { call, useSearch } = await createTestApp({ sql, traced: true })
  useSearch(createSearch({ sql, meili: testMeilisearch(), indexPrefix: 'tracing_' }))
  const traceId = 'ef'.repeat(16)
  await call('/v1/search?q=juniper', { headers: { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` } })

  const log = pino({ level: 'silent' })
  const queue = createEmbeddedQueue(dir)
  const adapter = createTestAdapter()
  const scrapeParcel = createScrapeParcel({ sql, findAdapter: () => adapter, createContext: createTestContext })
  const worker = createWorker({ sql, queue, scrapeParcel, review: () => [], log })
  const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
  worker.start()
  dispatcher.start()
  const [job = ''] = await enqueue(plain, 'ash', ['SECRET-JOB'])
  await waitFor(async () => (await findJob(plain, job)).status === 'done')
  await dispatcher.stop()
  await worker.stop()
  await tracing.flush()
  await sql.end()

  const request = received.find((span) => span.traceId === traceId && span.name === 'GET /v1/search')
  expect(
    received.find(({ name, parentSpanId }) => name === 'meilisearch' && parentSpanId === request?.spanId),
  ).toBeDefined()
  const scraping = received.find(({ name }) => name === 'scrape job')
  expect(JSON.stringify(scraping?.attributes)).toContain(job)
  expect(received.filter(({ name, traceId }) => name === 'postgres' && traceId === scraping?.traceId)).not.toEqual([])
  expect(JSON.stringify(received)).not.toContain('SECRET-JOB')
})

test('a request continues the trace of its caller; what it asks of Postgres is in it, without values', async () => {
  const { url } = await createTestDatabase()
  const sql = connectDatabase(url, { traced: true })
  await insertCounty(sql)
  const { call } = await createTestApp({ sql, traced: true })
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

test('a collector that is away does not keep a process from stopping', async () => {
  const program = `
    import { trace } from '@opentelemetry/api'
    import { startTracing } from './src/tracing'
    const tracing = startTracing('http://127.0.0.1:1', 'api')
    trace.getTracer('test').startSpan('lost').end()
    await tracing.stop()
    console.log('stopped')`
  const child = Bun.spawn(['bun', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  expect(await new Response(child.stdout).text()).toBe('stopped\n')
  expect(await child.exited).toBe(0)
}, 30_000)

test('a collector is sent the headers that it asks for, and the traces that OTEL_TRACES_SAMPLER names', async () => {
  const got: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      got.push(`${request.headers.get('x-collector-key')} ${(await request.text()).match(/"name":"\w+"/g)}`)
      return Response.json({})
    },
  })
  const program = `
    import { startTracing } from './src/tracing'
    import { withSpan } from './src/with-span'
    const tracing = startTracing('http://127.0.0.1:${server.port}', 'api')
    await withSpan('one', {}, async () => {})
    await tracing.stop()`
  const start = async (env: Record<string, string>) => {
    const child = Bun.spawn(['bun', '-e', program], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { PATH: process.env.PATH ?? '', OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key', ...env },
    })
    expect(await child.exited).toBe(0)
    return got.splice(0)
  }
  try {
    expect(await start({})).toEqual(['a key "name":"one"'])
    expect(await start({ OTEL_TRACES_SAMPLER: 'always_off' })).toEqual([])
    const ratio = { OTEL_TRACES_SAMPLER: 'traceidratio' }
    expect(await start({ ...ratio, OTEL_TRACES_SAMPLER_ARG: '0' })).toEqual([])
    expect(await start({ ...ratio, OTEL_TRACES_SAMPLER_ARG: '1' })).toEqual(['a key "name":"one"'])
  } finally {
    await server.stop(true)
  }
}, 30_000)
