import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findFreePort } from '../../../src/operations/embedded/child'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, testMeilisearch, waitFor } from '../../support/servers'

/*
 * Two API processes on one port (REUSE_PORT), restarted in turn under load, behind Caddy as in compose.yaml and without a proxy.
 * Every second client keeps its connections, the others open one per request.
 */
const KEY = 'rolling-admin-key-0123456789'
const CLIENTS = 16
/** How many more requests each group of clients completes before a process is stopped. */
const MIN_ANSWERS = 400
/** How long a client rests after each request, except while a process stops: then it sends as fast as it can. */
const REST_MS = 100

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
  const child = Bun.spawn(commandOf('src/main.ts', 'api'), {
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

type Get = (path: string, key: string, options: { keepalive: boolean }) => Promise<Response>

/**
 * Without a proxy. When a listener closes, the system resets new connections that wait to be accepted, before any request was
 * sent and whatever the process does: so clients with a connection per request retry safe requests once (RFC 9110, 9.2.2). A kept
 * connection may be closed while a request is on its way (RFC 9112, 9.5); `fetch` handles that, here as in browsers.
 */
const getDirectly: Get = (path, key, { keepalive }) => {
  const ask = () => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-service-key': key }, keepalive })
  return keepalive ? ask() : ask().catch(ask)
}

/** The proxy of the Caddyfile, in front of the port. */
const startCaddy = async (): Promise<Get> => {
  const [httpPort, httpsPort, adminPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const child = Bun.spawn(['caddy', 'run', '--config', 'deploy/caddy/Caddyfile', '--adapter', 'caddyfile'], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '',
      XDG_DATA_HOME: dir,
      XDG_CONFIG_HOME: dir,
      CADDY_ADMIN: `127.0.0.1:${adminPort}`,
      CADDY_HTTP_PORT: String(httpPort),
      CADDY_HTTPS_PORT: String(httpsPort),
      API_HOST: 'localhost',
      API_PORT: String(port),
    },
  })
  children.add(child)
  child.exited.then(() => children.delete(child))
  const authority = join(dir, 'caddy/pki/authorities/local/root.crt')
  // Caddy creates the file before it writes it.
  const readAuthority = () => (existsSync(authority) ? readFileSync(authority, 'utf8') : '')
  await waitFor(() => readAuthority().includes('-----END CERTIFICATE-----'))
  const tls = { ca: readAuthority() }
  const get: Get = (path, key, { keepalive }) =>
    fetch(`https://localhost:${httpsPort}${path}`, { headers: { 'x-service-key': key }, keepalive, tls })
  const isThere = () =>
    get('/v1/sources', KEY, { keepalive: false }).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor(isThere)
  return get
}

const startClients = (paths: readonly string[], get: Get, keyNow: () => string = () => KEY) => {
  const failures: string[] = []
  let answered = 0
  let isHurried = false
  let stopped = false
  const client = async (number: number) => {
    for (let turn = number; !stopped; turn++) {
      try {
        const response = await get(paths[turn % paths.length] ?? '', keyNow(), { keepalive: number % 2 === 0 })
        await response.text()
        if (response.status !== 200) failures.push(`${response.status}`)
        else answered++
      } catch (error) {
        failures.push(String(error))
      }
      if (!isHurried) await Bun.sleep(REST_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
  return {
    answered: () => answered,
    hurry: (hurried: boolean) => {
      isHurried = hurried
    },
    stop: async () => {
      stopped = true
      await Promise.all(clients)
      return failures
    },
  }
}
type Clients = ReturnType<typeof startClients>

/** One after the other: at any time one of them listens. */
const restartInTurn = async (processes: Bun.Subprocess[], groups: readonly Clients[], keys: string[]) => {
  for (const [place, child] of processes.entries()) {
    for (const { hurry } of groups) hurry(true)
    const goals = groups.map(({ answered }) => answered() + MIN_ANSWERS)
    await waitFor(() => groups.every(({ answered }, index) => answered() > (goals[index] ?? 0)))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    for (const { hurry } of groups) hurry(false)
    processes[place] = await startApi(`api-${place}`, keys)
  }
}

const listPaths = async (): Promise<string[]> => {
  await seedSampleCounty(sql, { parcels: 500, entities: 20 })
  const rows = await sql<{ id: string }[]>`select source_parcel_id as id from parcels limit 100`
  return rows.map(({ id }) => `/v1/parcels/sample-county/${id}`)
}

/** Skipped if Caddy is missing; never with CI=true. */
const isCaddyMissing = Bun.which('caddy') === null && process.env.CI !== 'true'

const paths = await listPaths()
const processes = await Promise.all([startApi('api-0'), startApi('api-1')])

/** An operator's key is rotated by two rounds of restarts, while clients send requests in both ways. */
const rotateUnderLoad = async () => {
  const next = 'rolling-next-key-9876543210'
  let key = KEY
  const direct = startClients(paths, getDirectly, () => key)
  const behindCaddy = isCaddyMissing ? null : startClients(paths, await startCaddy(), () => key)
  const groups = behindCaddy === null ? [direct] : [direct, behindCaddy]
  await restartInTurn(processes, groups, [KEY, next])
  key = next
  await restartInTurn(processes, groups, [next])
  const [directFailures, caddyFailures] = await Promise.all([direct.stop(), behindCaddy?.stop()])
  for (const { answered } of groups) expect(answered()).toBeGreaterThan(4 * MIN_ANSWERS)
  const statusWith = async (sent: string) => (await getDirectly('/v1/sources', sent, { keepalive: true })).status
  return { directFailures, caddyFailures, statuses: { old: await statusWith(KEY), next: await statusWith(next) } }
}
let rotated: ReturnType<typeof rotateUnderLoad> | undefined
const rotateOnce = () => (rotated ??= rotateUnderLoad())

test.skipIf(isCaddyMissing)(
  'behind Caddy, two API processes restarted in turn under load: no request fails, over kept or new connections, and no client retries',
  async () => expect((await rotateOnce()).caddyFailures).toEqual([]),
)

test('without a proxy, no request fails over kept-alive connections, and none over new connections if it is retried once', async () =>
  expect((await rotateOnce()).directFailures).toEqual([]))

test("after these restarts, an operator's new key is accepted and the old key is refused", async () =>
  expect((await rotateOnce()).statuses).toEqual({ old: 401, next: 200 }))
