import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedSampleCounty } from '../drizzle/seed/sample-county'
import { findFreePort } from '../src/embedded/child'
import { createTestDatabase, testMeilisearch, waitFor } from './servers'

/** Two API processes on one port (REUSE_PORT), restarted in turn under load; most clients keep their connections, some do not. */
const KEY = 'rolling-admin-key-0123456789'
const CLIENTS = 16
const ROUNDS = 3

const { url, sql } = await createTestDatabase()
const meili = testMeilisearch()
const dir = mkdtempSync(join(tmpdir(), 'rolling-restart-'))
const port = await findFreePort()
const children = new Set<Bun.Subprocess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([...children].map(({ exited }) => exited))
  rmSync(dir, { recursive: true, force: true })
})

const startApi = async (name: string, keys: readonly string[] = [KEY]) => {
  const metricsPort = await findFreePort()
  const child = Bun.spawn(['bun', 'src/main.ts', 'api'], {
    stdout: 'ignore',
    stderr: 'inherit',
    env: {
      ...(process.env as Record<string, string>),
      DATABASE_URL: url,
      MEILI_URL: meili.url,
      MEILI_MASTER_KEY: meili.masterKey,
      DATA_DIR: join(dir, name),
      PORT: String(port),
      REUSE_PORT: '1',
      METRICS_PORT: String(metricsPort),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      SERVICE_API_KEYS: JSON.stringify(Object.fromEntries(keys.map((key) => [key, { capabilities: ['admin'] }]))),
    },
  })
  children.add(child)
  child.exited.then(() => children.delete(child))
  await waitFor(
    () =>
      fetch(`http://127.0.0.1:${metricsPort}/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    30_000,
  )
  return child
}

/**
 * A connection that waits to be taken when its listener closes is reset by the system before anything was asked: clients, and
 * balancers, try again what is safe to repeat (RFC 9110, 9.2.2), and so does this one, once. A connection that is kept needs none of it.
 */
const get = async (path: string, key: string, keepalive: boolean): Promise<Response> => {
  const ask = () => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-service-key': key }, keepalive })
  return keepalive ? ask() : ask().catch(ask)
}

const startClients = (paths: readonly string[], keyNow: () => string = () => KEY) => {
  const failures: string[] = []
  let answered = 0
  let stopped = false
  const client = async (number: number) => {
    for (let turn = number; !stopped; turn++) {
      try {
        const response = await get(paths[turn % paths.length] ?? '', keyNow(), number % 4 !== 0)
        await response.text()
        if (response.status !== 200) failures.push(`${response.status}`)
        else answered++
      } catch (error) {
        failures.push(String(error))
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
  return {
    answered: () => answered,
    stop: async () => {
      stopped = true
      await Promise.all(clients)
      return failures
    },
  }
}

/** One after the other: at any moment one of them listens. */
const restartInTurn = async (
  processes: Bun.Subprocess[],
  clients: ReturnType<typeof startClients>,
  keys?: string[],
) => {
  for (const [place, child] of processes.entries()) {
    const before = clients.answered()
    await waitFor(() => clients.answered() > before + 500)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    processes[place] = await startApi(`api-${place}`, keys)
  }
}

const listPaths = async (): Promise<string[]> => {
  await seedSampleCounty(sql, { parcels: 500, entities: 20 })
  const rows = await sql<{ id: string }[]>`select source_parcel_id as id from parcels limit 100`
  return rows.map(({ id }) => `/v1/parcels/sample-county/${id}`)
}

test('two API processes on one port, restarted in turn under load: no request fails', async () => {
  const paths = await listPaths()
  const processes = [await startApi('api-0'), await startApi('api-1')]
  const clients = startClients(paths)
  for (let round = 0; round < ROUNDS; round++) await restartInTurn(processes, clients)
  expect(await clients.stop()).toEqual([])
  expect(clients.answered()).toBeGreaterThan(ROUNDS * 1_000)
  for (const child of processes) child.kill('SIGTERM')
  await Promise.all(processes.map(({ exited }) => exited))
}, 120_000)

test("an operator's key is rotated by two rolling restarts: no request fails, and the old key is refused at the end", async () => {
  const next = 'rolling-next-key-9876543210'
  let key = KEY
  const processes = [await startApi('api-0'), await startApi('api-1')]
  const clients = startClients(await listPaths(), () => key)
  await restartInTurn(processes, clients, [KEY, next])
  key = next
  await restartInTurn(processes, clients, [next])
  expect(await clients.stop()).toEqual([])
  expect((await get('/v1/sources', KEY, true)).status).toBe(401)
  expect((await get('/v1/sources', next, true)).status).toBe(200)
}, 120_000)
