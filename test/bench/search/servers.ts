import { join, resolve } from 'node:path'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { listEntitiesAfter, listParcelsAfter } from '../../../drizzle/queries/search/search-documents'
import { connectMeilisearch, type MeilisearchAddress } from '../../../search/index/indexes'
import { createSearchSync } from '../../../search/sync/sync'
import { findFreePort } from '../../../src/embedded/child'
import { startMeilisearch } from '../../../src/embedded/meilisearch'
import { startPostgres } from '../../../src/embedded/postgres'
import type { Roll } from './queries'

/** The servers that a service and its rivals share. */
export interface BenchServers {
  databaseUrl: string
  meili: MeilisearchAddress
  sql: Sql
  stop: () => Promise<void>
}

/** Postgres with its data in `postgresDir`, migrated, and Meilisearch with its own in `meilisearchDir`. */
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
    stop: async () => {
      await sql.end({ timeout: 1 })
      await Promise.all([postgres.stop(), meilisearch.stop()])
    },
  }
}

/** Brings our index up to the database. */
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
  // A rebuild begins with the first look at what is there.
  await Bun.sleep(1_000)
  await sync.drain(1_800_000)
  await sync.stop()
}

export const RAW_INDEXES = { parcels: 'raw', entities: 'raw_entities' } as const
const RAW_BATCH = 5_000

/** Loads the rows, as they are, into indexes with default settings. Gives the time from the first row read to the last task's end. */
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
      last = (await client.index(uid).addDocuments(rows)).taskUid
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
  /** Of an admin. */
  key: string
  /** The answer's body. Throws for an answer that is not 200. */
  search: (parameters: Record<string, string>) => Promise<{ body: SearchBody }>
  /** Answers so far that came without Meilisearch. */
  countDegraded: () => number
  /** How long the service's event loop was held at most since the last call, in ms. */
  readHold: () => Promise<{ longest: number }>
  stop: () => Promise<void>
}

interface SearchBody {
  corrected?: string
  results: Record<string, string | null>[]
}

/** The API role in a process of its own, as `bun start` runs it. */
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
    search: async (parameters) => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/search?${new URLSearchParams(parameters)}`, {
        headers: { 'x-service-key': SERVICE_KEY },
      })
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
      if (response.headers.has('warning')) degraded++
      return { body: (await response.json()) as SearchBody }
    },
    countDegraded: () => degraded,
    readHold: async () => {
      child.send('hold')
      while (holds.length === 0) await Bun.sleep(5)
      return holds.pop() ?? { longest: 0 }
    },
    stop: async () => {
      // It has nothing to save, and would wait for the channel and for kept connections.
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Waits until the service has read the words of the roll: from then on it corrects a typo in one of its names. */
export const waitForVocabulary = async (service: BenchService, roll: Roll): Promise<void> => {
  const names = roll.flatMap(({ ownerName }) => /^[A-Z]{6,} [A-Z]+/.exec(ownerName)?.[0] ?? []).slice(0, 20)
  const typos = names.map((name) => `${name.slice(0, 2)}q${name.slice(2)}`)
  for (let second = 0; second < 120; second++) {
    for (const q of typos) if ((await service.search({ q })).body.corrected !== undefined) return
    await Bun.sleep(1_000)
  }
  throw new Error('the service corrected none of 20 typos within 120 s')
}
