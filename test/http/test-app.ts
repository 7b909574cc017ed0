import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Adapter } from '../../adapters/adapter'
import { createLatencyWindow } from '../../core/observe/latency-window'
import type { Sql } from '../../core/postgres/database'
import { readPrimary } from '../../core/postgres/replicas/reads'
import type { Replicas } from '../../core/postgres/replicas/replicas'
import { NO_STATES } from '../../core/state-set'
import { readVocabulary } from '../../dev/adapter-cases/read-vocabulary'
import { upsertAccount } from '../../drizzle/queries/people/accounts'
import type { AccountPlan, AccountRole } from '../../drizzle/schema/values'
import { followCoverage } from '../../src/coverage/follow-coverage'
import { createDownloadLinks } from '../../src/exports/download-link'
import { createExportStore } from '../../src/exports/export-store'
import { createApp } from '../../src/http/app'
import { createAuthenticator } from '../../src/http/callers/authenticator'
import { cookieName, SESSION_COOKIE } from '../../src/http/callers/cookies'
import { createListTurns } from '../../src/http/callers/list-turns'
import type { Deps } from '../../src/http/deps'
import { createEventFeed } from '../../src/operations/observe/event-feed'
import { followDatasetVersion } from '../../src/parcels/dataset-version'
import { createParcelFeatures } from '../../src/parcels/parcel-features'
import { createParcelLists } from '../../src/parcels/parcel-lists'
import { issueKey } from '../../src/people/issue-key'
import type { SignIn } from '../../src/people/sign-in'
import { startSession } from '../../src/people/start-session'
import { createScrapeNow } from '../../src/scrape/fetch/scrape-now/scrape-now'
import { createScrapeParcel, type ScraperDeps } from '../../src/scrape/fetch/scrape-parcel'
import { createPageStore } from '../../src/scrape/pages/page-store'
import { anonymizeGoldenPage } from '../../src/scrape/prove/anonymize-golden-page'
import { exportGoldenPage } from '../../src/scrape/prove/export-golden-page'
import type { Anonymize } from '../../src/scrape/prove/golden-file'
import { createTryParcel } from '../../src/scrape/prove/try-parcel'
import { readHere } from '../../src/scrape/readers/readers'
import { review } from '../../src/scrape/review/review'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import type { TileStore } from '../../tiles-build/store/tile-store'
import { createTestContext } from '../jobs/test-adapter'
import { createTestDatabase } from '../support/servers'

export const ADMIN_KEY = 'test-admin-key-0123456789'

const anonymize: Anonymize = (...golden) => anonymizeGoldenPage(readHere, ...golden)
const noSearch: Deps['search'] = { search: () => Promise.reject(new Error('this test has no search')) }

/** The whole HTTP service on its own database, without a port. `call` sends a request, by default with an admin key. */
export const createTestApp = async (
  options: {
    baseUrl?: string
    corsOrigins?: Deps['corsOrigins']
    basemapUrl?: string
    sql?: Sql
    /** Default: a new one on the run's server. */
    database?: { url: string; sql: Sql }
    replicas?: Replicas
    tileStore?: TileStore
    pageStore?: Deps['pageStore']
    exports?: Partial<Deps['exports']>
    maxUploadBytes?: number
    allowPrivateSources?: boolean
    scrapeLimitMs?: number
    scrapeLease?: { leaseMs: number; heartbeatMs: number }
    indexedInstances?: Deps['indexedInstances']
    degradedStates?: Deps['degradedStates']
    signIn?: (sql: Sql) => SignIn
    trustedProxies?: number
    traced?: boolean
    log?: Deps['log']
    allowPrivateWebhooks?: boolean
    /** The function of another copy of the source. */
    createApp?: typeof createApp
    scraper?: Pick<ScraperDeps, 'findAdapter' | 'createContext' | 'readers'>
  } = {},
) => {
  const { url, sql: own } = options.database ?? (await createTestDatabase())
  const sql = options.sql ?? own
  const baseUrl = options.baseUrl ?? 'http://localhost'
  const authenticator = createAuthenticator(sql, new Map([[ADMIN_KEY, 'admin']]), { baseUrl })
  const tileDir = mkdtempSync(join(tmpdir(), 'tiles-'))
  afterAll(() => rmSync(tileDir, { recursive: true }))
  const tileStore = options.tileStore ?? createTileStore(tileDir)
  let search = noSearch
  let adapter: Adapter | null = null
  const { findAdapter, ...scraper } = options.scraper ?? {
    findAdapter: () => adapter,
    createContext: createTestContext,
  }
  const timeLimitMs = options.scrapeLimitMs ?? 60_000
  const scrapeParcel = createScrapeParcel({ sql, findAdapter, ...scraper })
  const registry = new Registry()
  const log = options.log ?? pino({ level: 'silent' })
  const eventFeed = createEventFeed(sql, { log, pollMs: 20 })
  const datasetVersion = followDatasetVersion(own, {
    log,
    ...(options.replicas && { ofReplicas: options.replicas.version }),
  })
  afterAll(() => Promise.all([eventFeed.stop(), datasetVersion.stop()]))
  const reads = options.replicas?.openReads(sql, { max: 5, patience: 'interactive' }) ?? readPrimary(sql)
  const app = (options.createApp ?? createApp)({
    sql,
    reads,
    noteWrite: options.replicas?.noteWrite ?? null,
    authenticator,
    signIn: options.signIn?.(sql) ?? null,
    trustedProxies: options.trustedProxies ?? 0,
    tileStore,
    pageStore: options.pageStore ?? createPageStore(join(tileDir, 'pages')),
    coverage: followCoverage(own),
    exports: {
      ...{ reads, links: createDownloadLinks(sql), maxBytes: 1024 ** 3, stallMs: 30_000 },
      store: createExportStore(join(tileDir, 'exports')),
      ...options.exports,
    },
    scrapeNow: createScrapeNow({ sql, findAdapter, scrapeParcel, review, timeLimitMs, ...options.scrapeLease }),
    exportGoldenPage: (golden) => exportGoldenPage({ anonymize, findAdapter, readVocabulary }, golden),
    tryParcel: createTryParcel({ sql, findAdapter, readers: readHere, ...scraper, allowPrivateSources: false }),
    search: { search: (...args) => search.search(...args) },
    parcelLists: createParcelLists(reads),
    parcelFeatures: createParcelFeatures(reads),
    datasetVersion,
    listTurns: createListTurns(),
    indexedInstances: options.indexedInstances ?? [],
    degradedStates: options.degradedStates ?? (() => NO_STATES),
    allowPrivateSources: options.allowPrivateSources ?? false,
    maxUploadBytes: options.maxUploadBytes ?? 1024 ** 2,
    allowPrivateWebhooks: options.allowPrivateWebhooks ?? false,
    log,
    eventFeed,
    latency: createLatencyWindow(),
    registry,
    traced: options.traced ?? false,
    corsOrigins: options.corsOrigins ?? new Set(),
    basemapUrl: options.basemapUrl ?? null,
    baseUrl,
  })
  const call = async (
    path: string,
    {
      method = 'GET',
      key = ADMIN_KEY,
      body,
      headers = {},
    }: { method?: string; key?: string | null; body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const response = await app.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { 'x-service-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    // biome-ignore lint/suspicious/noExplicitAny: tests check the shape of bodies
    return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : null) as any }
  }
  return {
    app,
    sql,
    url,
    authenticator,
    tileStore,
    registry,
    eventFeed,
    datasetVersion,
    call,
    useSearch: (other: Deps['search']) => {
      search = other
    },
    useAdapter: (other: Adapter | null) => {
      adapter = other
    },
    signIn: (person: Partial<Person> = {}) => signIn(sql, person, baseUrl),
    readKey: async () => (await issueKey(sql, { name: 'reader', capabilities: [] })).key,
  }
}

interface Person {
  email: string
  role: AccountRole
  plan: AccountPlan
}

/**
 * Creates an account with a session, as a sign-in does. `headers` are what its browser sends from a page of the service. Use them with
 * `key: null`.
 */
const signIn = async (sql: Sql, { email, role = 'member', plan = 'free' }: Partial<Person>, baseUrl: string) => {
  const subject = crypto.randomUUID()
  const identity = { issuer: 'https://id.example', subject, email: email ?? `${subject}@people.example`, name: null }
  const accountId = await upsertAccount(sql, identity)
  await sql`update accounts set role = ${role}, plan = ${plan} where id = ${accountId}`
  const token = await startSession(sql, accountId)
  const cookie = `${cookieName(SESSION_COOKIE, baseUrl)}=${token}`
  return { accountId, email: identity.email, token, cookie, headers: { cookie, origin: baseUrl } }
}

/** Adds a source and its refresh policy. */
export const insertCounty = async (sql: Awaited<ReturnType<typeof createTestDatabase>>['sql'], source = 'elm') => {
  await sql`
    insert into sources (source, state, county_name, vendor, base_url, vendor_config)
    values (${source}, 'OR', 'Elm', 'arcgis-rest', 'https://elm.example', '{"columns":{"parcel_id":"PIN"}}')`
  await sql`insert into source_refresh_policies (source, next_due_at) values (${source}, '2027-01-01T00:00:00Z')`
}
