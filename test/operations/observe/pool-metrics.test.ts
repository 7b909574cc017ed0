import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { readConfig } from '../../../src/config'
import { findFreePort } from '../../../src/operations/embedded/child'
import { registerPoolMetrics } from '../../../src/operations/observe/pool-metrics'
import { startApi } from '../../../src/roles/api/api'
import { startScheduler } from '../../../src/roles/scheduler'
import { startSync } from '../../../src/roles/sync'
import { startTiles } from '../../../src/roles/tiles'
import { startWorker } from '../../../src/roles/worker'
import { createTestDatabase, waitFor } from '../../support/servers'

const { url } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'pools-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('a pool reports the state of its connections, and waiting queries', async () => {
  const registry = new Registry()
  const sql = connectDatabase(url, { max: 2 })
  registerPoolMetrics(registry)('api', sql)
  const shown = async () =>
    Object.fromEntries(
      [...(await registry.metrics()).matchAll(/^postgres_pool_(\w+)\{pool="api"(?:,state="(\w+)")?\} (\d+)$/gm)].map(
        ([, name, state, value]) => [state ?? name, Number(value)],
      ),
    )
  const isShown = (figures: Record<string, number>) => async () => {
    const now = await shown()
    return Object.entries(figures).every(([name, value]) => now[name] === value)
  }
  await sql`select 1`
  await waitFor(isShown({ connections_max: 2, busy: 0, idle: 1, waiting_queries: 0 }))

  // Two transactions hold both connections, so a query must wait.
  const release = Promise.withResolvers<void>()
  const held = [1, 2].map(() => sql.begin(() => release.promise))
  await waitFor(isShown({ busy: 2, idle: 0, waiting_queries: 0 }))
  const waiting = sql`select 1`.execute()
  await waitFor(isShown({ busy: 2, idle: 0, waiting_queries: 1 }))

  release.resolve()
  await Promise.all([...held, waiting])
  await waitFor(isShown({ busy: 0, idle: 2, waiting_queries: 0 }))
  await sql.end()
})

const createContext = async (log = pino({ level: 'silent' })) => {
  const metrics = new Registry()
  const nowhere = { url: 'http://127.0.0.1:9', masterKey: null }
  return {
    config: readConfig({ DATABASE_URL: url, DATA_DIR: dir, PORT: String(await findFreePort()), HOST: '127.0.0.1' }),
    components: { databaseUrl: url, meili: nowhere, failed: new Promise<string>(() => {}), stop: async () => {} },
    bootstrapKeys: new Map(),
    identityProvider: null,
    metrics,
    watchPool: registerPoolMetrics(metrics),
    watchLoop: () => () => {},
    ownOrigins: new Set<string>(),
    log,
  }
}

test('each role reports its pools', async () => {
  const context = await createContext()
  const roles = [startSync(context), await startWorker(context), startScheduler(context), startTiles(context)]
  const api = await startApi(context)
  const shown = [
    ...(await context.metrics.metrics()).matchAll(/^postgres_pool_connections_max\{pool="([\w-]+)"\} [1-9]/gm),
  ]
  await Promise.all([...roles, api].map((role) => role?.stop()))
  expect(shown.map(([, pool]) => pool).sort()).toEqual([
    'api',
    'api-heavy',
    'api-vocabulary',
    'scheduler',
    'search-sync',
    'tiles',
    'worker',
  ])
})

const findVocabularyReading = (sql: Sql) => sql<{ state: string; waitsMs: number }[]>`
  select state, extract(epoch from clock_timestamp() - query_start)::float8 * 1000 as "waitsMs" from pg_stat_activity
  where application_name = 'api-vocabulary' and datname = current_database() and query like '%entities%'`

test('the API of a small database starts with the vocabulary of the search, so that even the first search is corrected', async () => {
  const sql = connectDatabase(url, { max: 2 })
  const { starting } = await sql.begin(async (tx) => {
    await tx`lock table entities in access exclusive mode`
    const starting = startApi(await createContext())
    await waitFor(async () => (await findVocabularyReading(sql)).length > 0)
    return { starting }
  })
  const api = await starting
  const readings = await findVocabularyReading(sql)
  await api.stop()
  await sql.end()
  expect(readings.map(({ state }) => state)).not.toContain('active')
})

test('the vocabulary of the search is read on a connection that may take longer than requests', async () => {
  const sql = connectDatabase(url, { max: 2 })
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line).msg) })
  const findReading = () => findVocabularyReading(sql)
  const api = await sql.begin(async (tx) => {
    await tx`lock table entities in access exclusive mode`
    const started = await startApi(await createContext(log))
    // A request would have failed after waiting for a lock for 2 s.
    await waitFor(async () => (await findReading()).some(({ waitsMs }) => waitsMs > 2_500))
    return started
  })
  await waitFor(async () => (await findReading()).every(({ state }) => state === 'idle'))
  await api.stop()
  await sql.end()
  expect(warnings.filter((warning) => warning.startsWith('the search vocabulary could not be read'))).toEqual([])
})
