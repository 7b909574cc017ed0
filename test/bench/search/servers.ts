import { join, resolve } from 'node:path'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import {
  listEntitiesAfter,
  listParcelsAfter,
  type ParcelSearchRow,
} from '../../../drizzle/queries/search/search-documents'
import { connectMeilisearch, type MeilisearchAddress } from '../../../search/index/indexes'
import { createSearchSync } from '../../../search/sync/sync'
import { findFreePort } from '../../../src/operations/embedded/child'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import type { Roll } from '../relevance/roll'

/** The servers that the service and its rivals share. */
export interface BenchServers {
  databaseUrl: string
  meili: MeilisearchAddress
  sql: Sql
  /** The pids of the postmaster and of Meilisearch. */
  pids: { postgres: number; meilisearch: number }
  stop: () => Promise<void>
}

/** Starts PostgreSQL with its data in `postgresDir`, migrated, and Meilisearch with its data in `meilisearchDir`. */
export const startServers = async (postgresDir: string, meilisearchDir: string): Promise<BenchServers> => {
  const [postgres, meilisearch] = await Promise.all([
    startPostgres(postgresDir, { shared_buffers: '2GB', synchronous_commit: 'off' }),
    startMeilisearch(meilisearchDir),
  ])
  if (meilisearch === null) throw new Error('there is no Meilisearch for this platform')
  await migrate(postgres.url)
  const sql = connectDatabase(postgres.url)
  return {
    databaseUrl: postgres.url,
    meili: { url: meilisearch.url, masterKey: meilisearch.masterKey },
    sql,
    pids: { postgres: postgres.pid, meilisearch: meilisearch.pid },
    stop: async () => {
      await sql.end({ timeout: 1 })
      await Promise.all([postgres.stop(), meilisearch.stop()])
    },
  }
}

/** Updates our index to match the database. */
export const syncIndex = async ({ databaseUrl, meili }: BenchServers): Promise<void> => {
  const sync = createSearchSync({
    databaseUrl,
    meili,
    onEvent: (event) => {
      if (event.kind === 'failed') console.error(`the index is behind: ${event.error.message}`)
    },
  })
  sync.start()
  while (!sync.status().leading) await Bun.sleep(20)
  // The first round may start a rebuild.
  await Bun.sleep(1_000)
  await sync.drain(1_800_000)
  await sync.stop()
}

export const RAW_INDEXES = { parcels: 'raw', entities: 'raw_entities' } as const
const RAW_BATCH = 5_000

/** Raw indexes search every field, so they get no coordinates of boxes. */
const withoutBox = (row: object) => {
  const { west, south, east, north, ...others } = row as Partial<ParcelSearchRow>
  return others
}

/** Loads the rows into indexes with default settings. Returns the time from the first row read to the end of the last task. */
export const loadRawIndexes = async ({ sql, meili }: Pick<BenchServers, 'sql' | 'meili'>): Promise<number> => {
  const client = connectMeilisearch(meili, 600_000)
  const startedAt = performance.now()
  let last = 0
  for (const [uid, list] of [
    [RAW_INDEXES.parcels, listParcelsAfter],
    [RAW_INDEXES.entities, listEntitiesAfter],
  ] as const) {
    await client.deleteIndexIfExists(uid)
    await client.createIndex(uid, { primaryKey: 'id' })
    for (let after: string | null = null; ; ) {
      const rows: { id: string }[] = await list(sql, after, RAW_BATCH)
      if (rows.length === 0) break
      after = rows.at(-1)?.id ?? null
      last = (await client.index(uid).addDocuments(rows.map(withoutBox))).taskUid
    }
  }
  await client.tasks.waitForTask(last, { timeout: 1_800_000, interval: 200 })
  return performance.now() - startedAt
}

export const countDocuments = async (meili: MeilisearchAddress, uid: string): Promise<number> =>
  (await connectMeilisearch(meili).getStats()).indexes[uid]?.numberOfDocuments ?? 0

const SERVICE_KEY = 'bench-admin-key-0123456789'

export interface BenchService {
  url: string
  /** An admin key. */
  key: string
  pid: number
  /** Returns the body of the response. Throws if it is not 2xx. */
  search: (parameters: Record<string, string>) => Promise<{ body: SearchBody }>
  /** The number of responses so far that did not come from Meilisearch. */
  countDegraded: () => number
  /** `longest`: the longest block of the service's event loop during `work`, in ms. */
  measureHold: <Result>(work: () => Promise<Result>) => Promise<{ result: Result; longest: number }>
  stop: () => Promise<void>
}

interface SearchBody {
  corrected?: string
  results: Record<string, string | null>[]
}

/** Starts the API role in a separate process. */
export const startService = async ({ databaseUrl, meili }: BenchServers): Promise<BenchService> => {
  const port = await findFreePort()
  const holds: { longest: number }[] = []
  let degraded = 0
  const child = Bun.spawn(['bun', '--preload', join(import.meta.dir, 'hold.ts'), 'src/main.ts', 'api'], {
    cwd: resolve(import.meta.dir, '../../..'),
    stdout: 'pipe',
    stderr: 'inherit',
    ipc: (message) => holds.push(message),
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      MEILI_URL: meili.url,
      MEILI_MASTER_KEY: meili.masterKey ?? '',
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SERVICE_API_KEYS: JSON.stringify({ [SERVICE_KEY]: { capabilities: ['admin'] } }),
    },
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.includes('Ready')) break
  }
  if (!said.includes('Ready')) throw new Error(`the service ended: ${said}`)
  return {
    url: `http://127.0.0.1:${port}`,
    key: SERVICE_KEY,
    pid: child.pid,
    search: async (parameters) => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/search?${new URLSearchParams(parameters)}`, {
        headers: { 'x-service-key': SERVICE_KEY },
      })
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
      if (response.headers.has('warning')) degraded++
      return { body: (await response.json()) as SearchBody }
    },
    countDegraded: () => degraded,
    measureHold: async (work) => {
      child.send('start')
      const result = await work()
      child.send('read')
      while (holds.length === 0) await Bun.sleep(5)
      return { result, longest: holds.pop()?.longest ?? 0 }
    },
    stop: async () => {
      // Kill it: it has nothing to save, and a clean stop waits for open connections.
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Reading the vocabulary of 1,000,000 parcels takes some seconds. */
const MAX_READING_S = 600

/** Waits until the service has the vocabulary of the roll, which shows when it corrects a typo in one of the names. */
export const waitForVocabulary = async (service: BenchService, roll: Roll): Promise<void> => {
  const names = roll.parcels.flatMap(({ name }) => /^[a-z]{6,} [a-z]+/.exec(name)?.[0] ?? []).slice(0, 20)
  const typos = names.map((name) => `${name.slice(0, 2)}q${name.slice(2)}`)
  for (let second = 0; second < MAX_READING_S; second++) {
    for (const q of typos) if ((await service.search({ q })).body.corrected !== undefined) return
    await Bun.sleep(1_000)
  }
  throw new Error(`the service did not correct any of 20 typos within ${MAX_READING_S} s`)
}
