import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { connectDatabase } from '../../../core/postgres/database'
import { readConfig } from '../../../src/config'
import { findFreePort } from '../../../src/embedded/child'
import { registerPoolMetrics } from '../../../src/observe/pool-metrics'
import { startApi } from '../../../src/roles/api'
import { startScheduler } from '../../../src/roles/scheduler'
import { startSync } from '../../../src/roles/sync'
import { startTiles } from '../../../src/roles/tiles'
import { startWorker } from '../../../src/roles/worker'
import { createTestDatabase, waitFor } from '../../servers'

const { url } = await createTestDatabase()

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

test('each role reports its pools', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pools-'))
  const metrics = new Registry()
  const nowhere = { url: 'http://127.0.0.1:9', masterKey: null }
  const context = {
    config: readConfig({ DATABASE_URL: url, DATA_DIR: dir, PORT: String(await findFreePort()), HOST: '127.0.0.1' }),
    components: { databaseUrl: url, meili: nowhere, failed: new Promise<string>(() => {}), stop: async () => {} },
    bootstrapKeys: new Map(),
    identityProvider: null,
    metrics,
    watchPool: registerPoolMetrics(metrics),
    watchLoop: () => () => {},
    ownOrigins: new Set<string>(),
    log: pino({ level: 'silent' }),
  }
  const roles = [startSync(context), await startWorker(context), startScheduler(context), startTiles(context)]
  const api = await startApi(context)
  const shown = [...(await metrics.metrics()).matchAll(/^postgres_pool_connections_max\{pool="([\w-]+)"\} [1-9]/gm)]
  await Promise.all([...roles, api].map((role) => role?.stop()))
  rmSync(dir, { recursive: true, force: true })
  expect(shown.map(([, pool]) => pool).sort()).toEqual([
    'api',
    'api-heavy',
    'scheduler',
    'search-sync',
    'tiles',
    'worker',
  ])
})
