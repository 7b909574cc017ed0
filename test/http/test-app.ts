import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Adapter } from '../../adapters/adapter'
import type { Sql } from '../../drizzle/database'
import { createApp } from '../../src/http/app'
import { createAuthenticator } from '../../src/http/auth'
import type { Deps } from '../../src/http/deps'
import { review } from '../../src/review/review'
import { createEventFeed } from '../../src/services/event-feed'
import { issueKey } from '../../src/services/issue-key'
import { createScrapeNow } from '../../src/services/scrape-now'
import { createScrapeParcel, type ScraperDeps } from '../../src/services/scrape-parcel'
import { createTileStore, type TileStore } from '../../tiles-build/tile-store'
import { createTestContext } from '../jobs/test-adapter'
import { createTestDatabase } from '../servers'

export const ADMIN_KEY = 'test-admin-key-0123456789'

const noSearch: Deps['search'] = { search: () => Promise.reject(new Error('this test has no search')) }

/** The whole HTTP service on a database of its own, without a port. `call` sends a request, as admin unless told otherwise. */
export const createTestApp = async (
  options: {
    baseUrl?: string
    corsOrigins?: Deps['corsOrigins']
    sql?: Sql
    tileStore?: TileStore
    scrapeLimitMs?: number
    scraper?: Pick<ScraperDeps, 'findAdapter' | 'createContext'>
  } = {},
) => {
  const { url, sql: own } = await createTestDatabase()
  const sql = options.sql ?? own
  const authenticator = createAuthenticator(sql, new Map([[ADMIN_KEY, 'admin']]))
  const tileDir = mkdtempSync(join(tmpdir(), 'tiles-'))
  afterAll(() => rmSync(tileDir, { recursive: true }))
  const tileStore = options.tileStore ?? createTileStore(tileDir)
  let search = noSearch
  let adapter: Adapter | null = null
  const { findAdapter, createContext } = options.scraper ?? {
    findAdapter: () => adapter,
    createContext: createTestContext,
  }
  const timeLimitMs = options.scrapeLimitMs ?? 60_000
  const scrapeParcel = createScrapeParcel({ sql, findAdapter, createContext })
  const registry = new Registry()
  const log = pino({ level: 'silent' })
  const eventFeed = createEventFeed(sql, { log, pollMs: 20 })
  afterAll(() => eventFeed.stop())
  const app = await createApp({
    sql,
    authenticator,
    tileStore,
    scrapeNow: createScrapeNow({ sql, findAdapter, scrapeParcel, review, timeLimitMs }),
    search: { search: (params) => search.search(params) },
    searchIsDegraded: () => false,
    allowPrivateSources: false,
    log,
    eventFeed,
    registry,
    baseUrl: options.baseUrl ?? 'http://localhost',
    corsOrigins: options.corsOrigins ?? new Set(),
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
    // biome-ignore lint/suspicious/noExplicitAny: a body is what the test expects it to be
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
    call,
    useSearch: (other: Deps['search']) => {
      search = other
    },
    useAdapter: (other: Adapter | null) => {
      adapter = other
    },
    readKey: async () => (await issueKey(sql, { name: 'reader', capabilities: [] })).key,
  }
}

/** A source and its policy, for the parcels of a test. */
export const insertCounty = async (sql: Awaited<ReturnType<typeof createTestDatabase>>['sql'], source = 'elm') => {
  await sql`insert into sources (source, state, county_name, vendor, base_url) values (${source}, 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`
  await sql`insert into source_refresh_policies (source, next_due_at) values (${source}, '2027-01-01T00:00:00Z')`
}
