import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startIdentityProvider } from '../../../../dev/identity-provider'
import { seedSampleCounty } from '../../../../dev/sample-county/load'
import { startSamplePortal } from '../../../../dev/sample-portal/sample-portal'
import { CALLBACK_PATH } from '../../../../src/people/sign-in'
import { createRoleProcess } from '../../../endurance/soak/role-process'
import { testMeilisearch } from '../../../support/servers'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../test-app'
import type { GeneratedRequest } from '../openapi/openapi-requests'
import { describeHostile, type HostileRequest, listHostileRequests, sendHostile } from './hostile-requests'

/*
 * Hostile callers cause no 5xx, no slow request and no memory leak. In a round, each operation gets each kind of hostile request once.
 * HOSTILE_ROUNDS and HOSTILE_SEED set the number of rounds and the seed.
 */
const ROUNDS = Number(process.env.HOSTILE_ROUNDS ?? 1)
const SEED = Number(process.env.HOSTILE_SEED ?? 16)
/** Requests until each route is compiled and the pools are full. */
const WARM_UP = 600
const AT_ONCE = 8
const SLOW_MS = 1_000
const LONGEST_MS = 20_000
/** The longest `wait` of `GET /v1/changes`. */
const MAX_WAIT_MS = 30_000
const MAX_GROWTH_MB = 75

const { sql, url, readKey, signIn } = await createTestApp()
await insertCounty(sql)
await seedSampleCounty(sql, { parcels: 500, entities: 30 })
const portal = await startSamplePortal(sql)
afterAll(() => portal.stop())
const BASE_URL = 'http://localhost'
const provider = await startIdentityProvider({ redirectUri: `${BASE_URL}${CALLBACK_PATH}` })
afterAll(() => provider.stop())

const dir = mkdtempSync(join(tmpdir(), 'hostile-'))
const deaths: string[] = []
const meili = testMeilisearch()
const service = await createRoleProcess('api', 'api', {
  dir,
  env: {
    DATABASE_URL: url,
    MEILI_URL: meili.url,
    MEILI_MASTER_KEY: meili.masterKey,
    SERVICE_API_KEYS: JSON.stringify({ [ADMIN_KEY]: { capabilities: ['admin'] } }),
    BASE_URL,
    OIDC_ISSUER: provider.identityProvider.issuer,
    OIDC_CLIENT_ID: provider.identityProvider.clientId,
    OIDC_CLIENT_SECRET: provider.identityProvider.clientSecret,
    HOST: '127.0.0.1',
    ALLOW_PRIVATE_SOURCES: '1',
    LOG_LEVEL: 'warn',
  },
  onDeath: (what) => deaths.push(what),
})
await service.start()
afterAll(async () => {
  await service.kill('SIGKILL')
  rmSync(dir, { recursive: true })
})
const address = { hostname: '127.0.0.1', port: Number(new URL(service.url ?? '').port) }

const signInAdmin = async () => (await signIn({ role: 'admin', plan: 'paid' })).headers
let person = await signInAdmin()
const keys = { admin: ADMIN_KEY, read: await readKey(), unknown: 'pk_'.padEnd(67, '0') }
const credentialsOf = (caller: GeneratedRequest['caller']): Record<string, string> => {
  if (caller === 'person') return person
  return caller === 'none' ? {} : { 'X-Service-Key': keys[caller] }
}

/** 502 reports a portal's failure. Any other 5xx is a fault of the service. */
const isFault = (status: number | null, { request: { template } }: HostileRequest): boolean =>
  status !== null && status >= 500 && !(status === 502 && template.endsWith('/scrape-now'))

const statuses = new Map<string, number>()
const faults: string[] = []

/** Milliseconds until the first byte of the response. */
const send = async (hostile: HostileRequest, id: string): Promise<number> => {
  const { caller } = hostile.request
  const sentAt = performance.now()
  const status = await sendHostile(
    address,
    hostile,
    { ...credentialsOf(caller), 'X-Request-Id': id },
    { timeoutMs: LONGEST_MS + (asksToWait(hostile) ? MAX_WAIT_MS : 0) },
  )
  const ms = performance.now() - sentAt
  statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1)
  if (isFault(status, hostile)) faults.push(`${status} to ${describeHostile(hostile)}`)
  // One of the requests has signed the person out or removed their rights.
  if (caller === 'person' && (status === 401 || status === 403)) person = await signInAdmin()
  return ms
}

/** Sends the requests from `AT_ONCE` clients and returns those that took over a second. */
const sendAll = async (requests: readonly HostileRequest[]): Promise<Set<HostileRequest>> => {
  const slow = new Set<HostileRequest>()
  const left = requests.entries()
  const sendOneByOne = async (): Promise<void> => {
    for (const [index, hostile] of left) if ((await send(hostile, `hostile-${index}`)) > SLOW_MS) slow.add(hostile)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOneByOne))
  return slow
}

/** A request for changes that asks the service to wait for one. */
const asksToWait = ({ make }: HostileRequest): boolean => /[?&]wait=[^&]*[1-9]/.test(make().path)

/** On a busy machine many requests are slow. A request at fault is slow every time, even alone. */
const isSlowAlone = async (hostile: HostileRequest): Promise<boolean> => {
  for (let i = 0; i < 3; i++) if ((await send(hostile, 'again')) <= SLOW_MS) return false
  return true
}

interface LogLine {
  level: number
  requestId?: string
  ms?: number
}
const readLog = (): LogLine[] =>
  readFileSync(service.logFile, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

test(`every kind of hostile request to each operation: no 5xx, none takes over 1 s unless it asks to, and memory grows by less than ${MAX_GROWTH_MB} MB`, async () => {
  const document = await (await fetch(`${service.url}/openapi.json`)).json()
  const requests = listHostileRequests(document, { rounds: ROUNDS, seed: SEED })
  await sendAll(requests.slice(0, WARM_UP))

  const memory = () => service.memory()?.mb ?? Number.NaN
  const before = memory()
  let most = before
  const health: number[] = []
  const watch = setInterval(async () => {
    most = Math.max(most, memory())
    const askedAt = performance.now()
    await fetch(`${service.url}/health`).catch(() => {})
    health.push(performance.now() - askedAt)
  }, 100)
  const startedAt = performance.now()
  const slow = await sendAll(requests)
  const seconds = (performance.now() - startedAt) / 1_000
  clearInterval(watch)
  const after = memory()

  // Only the service knows how long the aborted ones took.
  for (const { requestId, ms = 0 } of readLog()) {
    const hostile = requests[Number(/^hostile-(\d+)$/.exec(requestId ?? '')?.[1])]
    if (hostile !== undefined && ms > SLOW_MS) slow.add(hostile)
  }
  const slowAlone: string[] = []
  for (const hostile of slow) {
    if (!asksToWait(hostile) && (await isSlowAlone(hostile))) slowAlone.push(describeHostile(hostile))
  }

  const p99 = health.sort((a, b) => a - b)[Math.floor(health.length * 0.99)] ?? Number.NaN
  console.log(
    `seed ${SEED}: ${requests.length} requests in ${seconds.toFixed(1)} s: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}; ` +
      `memory ${before.toFixed(0)} MB before, ${most.toFixed(0)} at most, ${after.toFixed(0)} after; /health p99 ${p99.toFixed(0)} ms; ` +
      `over 1 s: ${slow.size} beside the others, ${slowAlone.length} alone`,
  )
  expect(faults).toEqual([])
  expect(readLog().filter(({ level }) => level >= 50)).toEqual([])
  expect(slowAlone).toEqual([])
  expect(deaths).toEqual([])
  expect(after - before).toBeLessThan(MAX_GROWTH_MB)
  // Also in memory: eight bodies of 1 MB, each as bytes, as text and as a parsed value.
  expect(most - before).toBeLessThan(2 * MAX_GROWTH_MB)
  // A run that only gets refusals tests nothing else.
  expect(statuses.get('200') ?? 0).toBeGreaterThan(requests.length / 20)
}, 300_000)
