import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { withSpan } from '../../../core/observe/with-span'
import { connectDatabase } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { createSearch } from '../../../search/search'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { createWorker } from '../../../src/jobs/worker'
import { startTracing } from '../../../src/operations/observe/tracing'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createTestApp, insertCounty } from '../../http/test-app'
import { enqueue, findJob, insertSource, insertVendor } from '../../jobs/job-rows'
import { createTestAdapter, scraped } from '../../jobs/test-adapter'
import { PATIENT } from '../../search/patient'
import { createTestDatabase, testMeilisearch, waitFor } from '../../support/servers'

/** A collector that stores what it receives (OTLP over HTTP, JSON). */
interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  links?: { traceId: string; spanId: string }[]
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
const tracing = startTracing(`http://127.0.0.1:${collector.port}/`, 'api', console)
afterAll(() => collector.stop(true))
const dir = mkdtempSync(join(tmpdir(), 'tracing-'))
afterAll(() => rmSync(dir, { recursive: true }))

const findChild = (parent: ReceivedSpan | undefined, name: string): ReceivedSpan | undefined =>
  received.find((span) => span.name === name && span.parentSpanId !== undefined && span.parentSpanId === parent?.spanId)

const textOf = (span: ReceivedSpan | undefined): string => JSON.stringify([span?.name, span?.attributes])

const callerOf = (traceId: string) => ({ traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` })

test("a search's trace has its queries, without the search text", async () => {
  const { url } = await createTestDatabase()
  const sql = connectDatabase(url, { traced: true })
  const { call, useSearch } = await createTestApp({ sql, traced: true })
  useSearch(createSearch({ sql, meili: testMeilisearch(), indexPrefix: 'tracing_', limits: PATIENT }))
  const traceId = 'ef'.repeat(16)
  await call('/v1/search?q=SECRET+juniper', { headers: callerOf(traceId) })
  await tracing.flush()
  await sql.end()

  const request = received.find((span) => span.traceId === traceId && span.name === 'GET /v1/search')
  const search = findChild(request, 'search')
  expect(findChild(search, 'meilisearch')).toBeDefined()
  expect(findChild(search, 'postgres')).toBeDefined()
  expect(JSON.stringify(received)).not.toContain('SECRET')
})

test('a job is a trace with its requests and its statements, and links to the request that queued it', async () => {
  const { url, sql: plain } = await createTestDatabase()
  const sql = connectDatabase(url, { traced: true })
  const portal = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => new Response('', { status: request.url.endsWith('/robots.txt') ? 404 : 203 }),
  })
  await insertVendor(plain, 'test', 1)
  await insertSource(plain, 'ash', 'test')
  const { call } = await createTestApp({ sql, traced: true })
  const log = pino({ level: 'silent' })
  const queue = createEmbeddedQueue(dir)
  const adapter = createTestAdapter(async ({ sourceParcelId }, { http }) => {
    await http.request({ name: 'page', url: `http://127.0.0.1:${portal.port}/${sourceParcelId}` })
    return scraped(sourceParcelId)
  })
  const portals = createPortalAccess({ userAgent: 'test', allowPrivate: true, spacingMs: 0 })
  const scrapeParcel = createScrapeParcel({
    sql,
    findAdapter: () => adapter,
    createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  })
  const worker = createWorker({ sql, queue, scrapeParcel, review: () => [], log })
  const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
  const traceId = 'ad'.repeat(16)
  const { body } = await call('/v1/scrape-jobs', {
    method: 'POST',
    headers: callerOf(traceId),
    body: { source: 'ash', source_parcel_id: 'SECRET-JOB' },
  })
  const [untraced = ''] = await enqueue(plain, 'ash', ['SECRET-TOO'])
  worker.start()
  dispatcher.start()
  const job = body.jobs[0].id
  for (const id of [job, untraced]) await waitFor(async () => (await findJob(plain, id)).status === 'done')
  await dispatcher.stop()
  await worker.stop()
  await tracing.flush()
  await sql.end()
  await portal.stop(true)

  const request = received.find((span) => span.traceId === traceId && span.name === 'POST /v1/scrape-jobs')
  const queueing = findChild(request, 'enqueue scrapes')
  const scraping = received.find((span) => span.name === 'scrape job' && textOf(span).includes(job))
  expect(scraping?.parentSpanId).toBeUndefined()
  expect(scraping?.links).toMatchObject([{ traceId, spanId: queueing?.spanId }])
  expect(textOf(findChild(scraping, 'portal request'))).toContain('203')
  expect(findChild(findChild(scraping, 'store scrape'), 'postgres')).toBeDefined()
  const other = received.find((span) => span.name === 'scrape job' && textOf(span).includes(untraced))
  expect(other?.links ?? []).toEqual([])
  // Periodic queries of workers must not become traces.
  expect(received.filter((span) => span.name === 'postgres' && span.parentSpanId === undefined)).toEqual([])
  expect(JSON.stringify(received)).not.toContain('SECRET')
})

test('an error is recorded only by its type', async () => {
  const fail = (error: unknown) => withSpan('failing', {}, () => Promise.reject(error)).catch(() => {})
  await fail(new ServiceError('not_found', 'SECRET'))
  await fail(new TypeError('SECRET'))
  await tracing.flush()
  const failed = received.filter(({ name }) => name === 'failing')
  expect(failed.map(textOf).join()).toMatch(/"error.type".*"not_found".*"error.type".*"TypeError"/)
  expect(failed.map(({ status }) => status.code)).toEqual([2, 2])
  expect(JSON.stringify(received)).not.toContain('SECRET')
})

test("a request continues its caller's trace, and includes its PostgreSQL statements without values", async () => {
  const { url } = await createTestDatabase()
  const sql = connectDatabase(url, { traced: true })
  await insertCounty(sql)
  const { call } = await createTestApp({ sql, traced: true })
  const traceId = 'ab'.repeat(16)
  await call('/v1/parcels/elm/SECRET-ID', { headers: callerOf(traceId) })
  await withSpan('statements', {}, async () => {
    await sql.begin((tx) => tx`select 1 as inside_transaction`)
    await sql`select no_such_column`.catch(() => {})
  })
  await tracing.stop()
  await waitFor(() => received.length > 0)
  await sql.end()

  const request = received.find((span) => span.traceId === traceId && span.name === 'GET /v1/parcels/:source/:id')
  expect(request).toMatchObject({ parentSpanId: 'cd'.repeat(8) })
  const query = received.find((span) => span.parentSpanId === request?.spanId)
  expect(query?.name).toBe('postgres')
  expect(JSON.stringify(query?.attributes)).toContain('from parcels where source = ? and source_parcel_id = ?')
  expect(JSON.stringify(received)).not.toContain('SECRET-ID')
  expect(received.some((span) => textOf(span).includes('inside_transaction'))).toBe(true)
  expect(received.find((span) => textOf(span).includes('no_such_column'))?.status.code).toBe(2)
})

test('a collector that is unavailable is logged, and does not keep a process from stopping', async () => {
  const program = `
    import { trace } from '@opentelemetry/api'
    import { startTracing } from './src/operations/observe/tracing'
    const logged = Promise.withResolvers()
    const tracing = startTracing('http://127.0.0.1:1', 'api', { warn: ({ error }, text) => logged.resolve(text + ' ' + error) })
    trace.getTracer('test').startSpan('lost').end()
    console.log(await logged.promise)
    trace.getTracer('test').startSpan('lost').end()
    await tracing.stop()
    console.log('stopped')`
  const child = Bun.spawn(['bun', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_EXPORTER_OTLP_TIMEOUT: '1000' },
  })
  expect(await new Response(child.stdout).text()).toMatch(
    /^OpenTelemetry reports a problem: traces may be missing .*ECONNREFUSED.*\nstopped\n$/,
  )
  expect(await child.exited).toBe(0)
})

test('a collector gets the configured headers, and the traces that OTEL_TRACES_SAMPLER selects', async () => {
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
    import { startTracing } from './src/operations/observe/tracing'
    import { withSpan } from './core/observe/with-span'
    const tracing = startTracing('http://127.0.0.1:${server.port}', 'api', console)
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
})
