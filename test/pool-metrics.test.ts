import { test } from 'bun:test'
import { Registry } from 'prom-client'
import { connectDatabase } from '../drizzle/database'
import { registerPoolMetrics } from '../src/pool-metrics'
import { createTestDatabase, waitFor } from './servers'

const { url } = await createTestDatabase()

test('a pool shows what its connections do, and what waits for one', async () => {
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

  // Two transactions hold both connections, so that a query can only wait.
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
