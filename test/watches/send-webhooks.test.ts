import { afterAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { listDueDeliveries } from '../../drizzle/queries/watches/due-deliveries'
import { callForgottenReceivers } from '../../drizzle/queries/watches/store-matches'
import { lockWatch } from '../../drizzle/queries/watches/watches'
import { LEASE_MS } from '../../src/scrape/lease'
import { addWatch, changeWatch, replayWatchDelivery, testWatch } from '../../src/watches/change-watch'
import { type DrainOptions, drainReceiver } from '../../src/watches/drain-receiver'
import { createWatchMatcher } from '../../src/watches/watch-matcher'
import { takeWork } from '../../src/work/take-work'
import { createWebhookRunner } from '../../src/work/webhook-runner'
import { createWorkLoop } from '../../src/work/work-loop'
import { insertSource } from '../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase, waitFor } from '../support/servers'
import { QUICK } from './quick-retries'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, url } = await createTestDatabase()
await insertSource(sql, 'elm', 'arcgis-rest')
const log = pino({ level: 'silent' })
const matcher = createWatchMatcher({ databaseUrl: url, sql, log, pollMs: 20 })
matcher.start()
afterAll(() => matcher.stop())

interface Received {
  headers: Record<string, string>
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: the test knows what is in it
  json: any
}

/** A receiver on this machine. `answer` gets each request, with its number from 0. */
const receive = (
  answer: (request: Received, turn: number, signal: AbortSignal) => Response | Promise<Response> = () =>
    new Response('ok'),
) => {
  const received: Received[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const body = await request.text()
      const one = { headers: Object.fromEntries(request.headers), body, json: JSON.parse(body) }
      return answer(one, received.push(one) - 1, request.signal)
    },
  })
  afterAll(() => server.stop(true))
  return { received, origin: `http://127.0.0.1:${server.port}`, server }
}

const OWNER = { owner: crypto.randomUUID(), accountId: null, keyHash: null, createdBy: 'tester' }
let parcels = 0
/** A new parcel, a watch of it, and ways to change it. */
const watchParcel = async (webhook_url: string) => {
  const parcel = `p${++parcels}`
  await sql`insert into parcels (source, source_parcel_id) values ('elm', ${parcel})`
  const { id, secret } = (await sql.begin((tx) =>
    addWatch(
      tx,
      OWNER,
      { kind: 'parcel', source: 'elm', source_parcel_id: parcel, webhook_url },
      { allowPrivate: true },
    ),
  )) as { id: string; secret: string }
  const countOf = async () => (await sql`select from webhook_deliveries where watch_id = ${id}`).length
  const change = async (acreage: number) => {
    const before = await countOf()
    await sql`update parcels set acreage = ${acreage} where source_parcel_id = ${parcel}`
    await waitFor(async () => (await countOf()) > before)
  }
  return { id, secret, parcel, change }
}
const never = new AbortController().signal
/** Retries become due long after the test, however slow the machine is. */
const NO_RETRY = { firstRetryMs: 60_000, longestRetryMs: 60_000 }
/** Runs work until nothing is due. */
const work = async (options: Partial<DrainOptions> = {}) => {
  const runner = createWebhookRunner({ ...QUICK, ...options })
  while (await takeWork({ sql, log, runner }, { signal: never }));
}
/** Runs work until the condition holds. Retries become due after a moment. */
const workUntil = (condition: () => Promise<boolean>, options: Partial<DrainOptions> = {}) =>
  waitFor(async () => {
    await work(options)
    return condition()
  })
const logOf = async (id: string) =>
  (await sql`select * from webhook_deliveries where watch_id = ${id} order by version`).map((row) => ({ ...row }))
const stateOf = async (id: string) => (await sql`select * from watches where id = ${id}`)[0]
const isEnded = (id: string) => async () => (await logOf(id)).every(({ status }) => status !== 'pending')

test('a change is sent signed, with the watch and the change, and the response is logged', async () => {
  const { received, origin } = receive(() => new Response('thank\0 you'))
  const { id, secret, parcel, change } = await watchParcel(`${origin}/hook?a=1`)
  await change(3)
  await work()
  expect(received).toHaveLength(1)
  const [{ headers, body, json }] = received as [Received]
  expect(new Webhook(secret).verify(body, headers)).toEqual(json)
  const [delivery] = await logOf(id)
  expect(headers).toMatchObject({
    'webhook-id': delivery?.id,
    'content-type': 'application/json',
    'user-agent': 'test',
  })
  expect(json).toEqual({
    type: 'parcel.changed',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      watch_id: id,
      change: expect.objectContaining({
        ...{
          version: Number(delivery?.version),
          source: 'elm',
          source_parcel_id: parcel,
          action: 'changed',
          cause: 'operator',
        },
        changes: { acreage: { former: null, new: 3 } },
      }),
    },
  })
  expect(delivery).toMatchObject({
    status: 'delivered',
    attempts: 1,
    response_status: 200,
    response: 'thank you',
    error: null,
  })
  expect(await stateOf(id)).toMatchObject({ failures: 0, last_error: null })
})

test('a request that fails is repeated with the same id, and later changes of the parcel wait for it', async () => {
  const { received, origin } = receive((_, turn) => new Response('', { status: turn < 3 ? 503 : 204 }))
  const { id, change } = await watchParcel(origin)
  for (const acreage of [1, 2, 3]) await change(acreage)
  await workUntil(isEnded(id))
  expect(received.map(({ json }) => json.data.change.changes.acreage.new)).toEqual([1, 1, 1, 1, 2, 3])
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  expect((await logOf(id)).map(({ attempts }) => attempts)).toEqual([4, 1, 1])
})

test('pauses between attempts grow, and a receiver’s Retry-After is obeyed', async () => {
  const { origin, server } = receive(() => new Response('', { status: 429, headers: { 'retry-after': '3600' } }))
  const { id, change } = await watchParcel(origin)
  await change(1)
  await work({ longestRetryMs: 4_000_000 })
  const waits = async () => (Date.parse((await logOf(id))[0]?.next_attempt_at) - Date.now()) / 1_000
  expect(await waits()).toBeGreaterThan(3_500)
  await server.stop(true)
  const [least, most] = [60 * 3 ** 2, 60 * 3 ** 2 * 1.1]
  await sql`update webhook_deliveries set attempts = 2, next_attempt_at = now() where watch_id = ${id}`
  await sql`update work set not_before = now() where status = 'queued' and kind = 'webhooks'`
  await work({ firstRetryMs: 60_000, longestRetryMs: 4_000_000 })
  expect(await waits()).toBeGreaterThan(least - 10)
  expect(await waits()).toBeLessThan(most)
  expect((await logOf(id))[0]?.error).toMatch(/^127\.0\.0\.1:\d+ refused the connection$/)
})

test('a delivery that fails for longer than the limit is given up with the watch’s other old ones, the watch says so, and a replay has the same id', async () => {
  let works = false
  const { received, origin } = receive(() => new Response('', { status: works ? 200 : 500 }))
  const { id, change } = await watchParcel(origin)
  await change(1)
  await change(2)
  await work({ giveUpAfterMs: 0 })
  const given = await logOf(id)
  expect(given.map(({ status, attempts }) => [status, attempts])).toEqual([
    ['failed', 1],
    ['failed', 0],
  ])
  expect(await stateOf(id)).toMatchObject({ last_error: expect.stringContaining('responded with status 500') })
  expect((await stateOf(id))?.last_failed_at).not.toBeNull()
  works = true
  const delivery = given[0]?.id
  expect(await sql.begin((tx) => replayWatchDelivery(tx, OWNER.owner, { id, delivery }))).toBe(true)
  await work()
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery, delivery])
  expect((await logOf(id))[0]).toMatchObject({ status: 'delivered', attempts: 2, error: null })
})

test('a delivery that is replayed days later has its full time again: the first failure does not end it', async () => {
  const { origin } = receive(() => new Response('', { status: 500 }))
  const { id, change } = await watchParcel(origin)
  await change(1)
  await work({ giveUpAfterMs: 0 })
  await sql`update webhook_deliveries set queued_at = now() - interval '4 days' where watch_id = ${id}`
  const delivery = (await logOf(id))[0]?.id
  expect(await sql.begin((tx) => replayWatchDelivery(tx, OWNER.owner, { id, delivery }))).toBe(true)
  await work(NO_RETRY)
  expect(await logOf(id)).toMatchObject([{ status: 'pending', attempts: 2 }])
})

test('a request that succeeds ends the failures of its watch, also soon after another success', async () => {
  const { origin } = receive((_, turn) => new Response('', { status: turn === 1 ? 500 : 200 }))
  const { id, change } = await watchParcel(origin)
  await change(1)
  await workUntil(isEnded(id))
  await change(2)
  await work(NO_RETRY)
  expect(await stateOf(id)).toMatchObject({ failures: 1, last_error: expect.stringContaining('status 500') })
  await sql`update watches set last_delivered_at = now() where id = ${id}`
  await sql`update webhook_deliveries set next_attempt_at = now() where watch_id = ${id} and status = 'pending'`
  await sql`update work set not_before = now() where status = 'queued' and kind = 'webhooks' and subject = ${origin}`
  await workUntil(isEnded(id))
  expect(await stateOf(id)).toMatchObject({ failures: 0, failing_since: null, last_error: null })
})

test('after several failures in a row the watch is paused, and resumes by itself', async () => {
  let works = false
  const { received, origin } = receive(() => new Response('', { status: works ? 200 : 500 }))
  const watches = await Promise.all(Array.from({ length: 3 }, () => watchParcel(origin)))
  for (const { change } of watches) await change(1)
  const hold = { failuresBeforeHold: 2, firstHoldMs: 60_000, longestHoldMs: 60_000 }
  await workUntil(
    async () => (await Promise.all(watches.map(({ id }) => stateOf(id)))).every((watch) => watch?.held_until !== null),
    hold,
  )
  const before = received.length
  await work(hold)
  expect(received).toHaveLength(before)
  const [next] =
    await sql`select not_before > now() + interval '50 s' as waits from work where kind = 'webhooks' and status = 'queued' and subject = ${origin}`
  expect(next?.waits).toBe(true)
  works = true
  await sql`update watches set held_until = now() where receiver = ${origin}`
  await sql`update work set not_before = now() where kind = 'webhooks' and status = 'queued'`
  for (const { id } of watches) await workUntil(isEnded(id), hold)
  expect(await stateOf(watches[0]?.id ?? '')).toMatchObject({
    failures: 0,
    holds: 0,
    held_until: null,
    last_error: null,
  })
})

test('each pause of a watch is twice as long as the one before, up to a limit', async () => {
  const { origin } = receive(() => new Response('', { status: 500 }))
  const { id, change } = await watchParcel(origin)
  await change(1)
  const pauses: number[] = []
  for (let turn = 0; turn < 4; turn++) {
    await sql`update watches set held_until = now() where id = ${id}`
    await sql`update webhook_deliveries set next_attempt_at = now() where watch_id = ${id}`
    await sql`update work set not_before = now() where status = 'queued' and kind = 'webhooks' and subject = ${origin}`
    await work({ ...NO_RETRY, failuresBeforeHold: 1, firstHoldMs: 60_000, longestHoldMs: 150_000 })
    // In steps of 30 s, because some time has passed.
    const [pause] = await sql`
      select ceil(extract(epoch from held_until - now()) / 30)::int * 30 as s from watches where id = ${id}`
    pauses.push(pause?.s)
  }
  expect(pauses).toEqual([60, 120, 150, 150])
  await sql`update watches set active = false where id = ${id}`
})

test('a receiver that hangs gets only a few requests at a time, and does not delay another receiver', async () => {
  let open = 0
  let most = 0
  const hung = receive(async (_, __, signal) => {
    // On a busy machine, the sender may have given up before.
    if (signal.aborted) return new Response('nobody waits')
    most = Math.max(most, ++open)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    open--
    return new Response('nobody waits')
  })
  const good = receive()
  const slow = await Promise.all(Array.from({ length: 8 }, () => watchParcel(hung.origin)))
  const quick = await watchParcel(good.origin)
  for (const { change } of [...slow, quick]) await change(1)
  // Only the receiver that hangs has little time for each request, and all the time it needs for its turn.
  const hasty = { ...NO_RETRY, mostAtOnce: 3, timeoutMs: 1_000, turnMs: 60_000, failuresBeforeHold: 1_000 }
  const takeTurn = async (origin: string, options: Partial<DrainOptions>) => {
    const [turn] = await sql<{ id: string }[]>`
      select id from work where kind = 'webhooks' and status = 'queued' and subject = ${origin}`
    const runner = createWebhookRunner({ ...QUICK, ...options })
    return takeWork({ sql, log, runner }, { id: turn?.id as string, signal: never })
  }
  const taken = Promise.all([takeTurn(hung.origin, hasty), takeTurn(good.origin, {})])
  await waitFor(isEnded(quick.id))
  expect(await isEnded(slow[0]?.id ?? '')()).toBe(false)
  await taken
  expect(most).toBe(3)
  for (const { id } of slow) expect((await logOf(id))[0]?.error).toMatch(/did not answer within 1 s/)
  await sql`update watches set active = false where receiver = ${hung.origin}`
})

test('a receiver that accepts requests does not wait for any number of receivers that hang', async () => {
  const good = receive()
  const quick = await watchParcel(good.origin)
  await quick.change(1)
  await workUntil(isEnded(quick.id))
  const hung = Array.from({ length: 24 }, () => receive(() => new Promise(() => {})))
  const slow = await Promise.all(hung.map(({ origin }) => watchParcel(origin)))
  for (const { change } of slow) await change(1)
  const runner = createWebhookRunner({ ...QUICK, timeoutMs: 60_000 })
  const loop = createWorkLoop({ sql, log, runners: [runner] })
  loop.start()
  await waitFor(() => hung.filter(({ received }) => received.length > 0).length >= 8)
  await quick.change(2)
  await waitFor(isEnded(quick.id))
  expect(hung.filter(({ received }) => received.length > 0).length).toBeLessThan(hung.length)
  await loop.stop()
  for (const { id } of slow) await sql`delete from watches where id = ${id}`
})

test('of thousands of pending deliveries, those that are due are found quickly without statistics of the table', async () => {
  const { id } = await watchParcel('http://127.0.0.1:9')
  await sql`alter table webhook_deliveries set (autovacuum_enabled = off)`
  await sql`
    insert into webhook_deliveries (watch_id, version, changed_at, parcel_id, status)
    select ${id}, n, now(), gen_random_uuid(), 'pending' from generate_series(1000000, 1012000) n`
  const startedAt = performance.now()
  expect(await listDueDeliveries(sql, 'http://127.0.0.1:9', { inFlight: [], limit: 100 })).toHaveLength(100)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  await sql`delete from watches where id = ${id}`
})

test('redirects are not followed, endless responses are cut off, and 410 ends the watch', async () => {
  const target = receive()
  const moved = receive(() => Response.redirect(`${target.origin}/elsewhere`, 307))
  const endless = receive(
    () =>
      new Response(
        new ReadableStream({
          pull: async (controller) => {
            await Bun.sleep(1)
            controller.enqueue(new Uint8Array(1_000).fill(120))
          },
        }),
      ),
  )
  const gone = receive(() => new Response('', { status: 410 }))
  const [redirected, unending, ended] = await Promise.all(
    [moved, endless, gone].map(({ origin }) => watchParcel(origin)),
  )
  for (const watch of [redirected, unending, ended]) await watch?.change(1)
  await work(NO_RETRY)
  expect(target.received).toEqual([])
  expect((await logOf(redirected?.id ?? ''))[0]).toMatchObject({
    ...{ status: 'pending', response_status: 307, error: expect.stringContaining('a redirect, which is not followed') },
  })
  const [cut] = await logOf(unending?.id ?? '')
  expect(cut).toMatchObject({ status: 'delivered', response_status: 200 })
  expect(cut?.response).toHaveLength(1_000)
  expect((await logOf(ended?.id ?? ''))[0]).toMatchObject({ status: 'failed', attempts: 1 })
  expect(await stateOf(ended?.id ?? '')).toMatchObject({ active: false })
})

test.each([200, 500])(
  'a caller who holds a watch and a sender who records status %d wait for each other',
  async (status) => {
    const { origin } = receive(() => new Response('', { status }))
    const { id, change } = await watchParcel(origin)
    await change(1)
    const [delivery] = await sql<{ id: string }[]>`select id from webhook_deliveries where watch_id = ${id}`
    const isSenderBlocked = async () =>
      (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length >
      0
    let sending: Promise<void> | undefined
    const replaying = sql.begin(async (tx) => {
      await lockWatch(tx, OWNER.owner, id)
      sending = work(NO_RETRY)
      await waitFor(isSenderBlocked)
      return replayWatchDelivery(tx, OWNER.owner, { id, delivery: delivery?.id ?? '' })
    })
    // Not a deadlock, which PostgreSQL would end with an error after a second.
    await expect(replaying).rejects.toMatchObject({ code: 'not_ended' })
    await sending
    expect((await logOf(id))[0]).toMatchObject({ attempts: 1, response_status: status })
  },
)

/** The database, with queries during which this much time seems to pass. */
const slowQueries = (ms: number) => {
  const now = performance.now.bind(performance)
  let passedMs = 0
  const clock = spyOn(performance, 'now').mockImplementation(() => now() + passedMs)
  const slow = new Proxy(sql, {
    apply: (...call) => {
      passedMs += ms
      return Reflect.apply(...call)
    },
  })
  return { sql: slow, restore: () => clock.mockRestore() }
}

test('no request starts after the turn is over, as after a freeze: another process has sent what was listed before', async () => {
  const { received, origin } = receive()
  const { id, change } = await watchParcel(`${origin}/hook`)
  await change(1)
  const slow = slowQueries(QUICK.turnMs)
  expect(await takeWork({ sql: slow.sql, log, runner: createWebhookRunner(QUICK) }, { signal: never })).toBe(true)
  slow.restore()
  expect(received).toEqual([])
  await workUntil(isEnded(id))
  expect(received).toHaveLength(1)
})

test('deliveries that were listed before a freeze are not sent: another process may have sent them and later ones', async () => {
  const { received, origin } = receive()
  const { id, change } = await watchParcel(origin)
  await change(1)
  const freezing = slowQueries(LEASE_MS)
  const advance = () => Promise.reject(new Error('another process has the work'))
  const work = { id: crypto.randomUUID(), attempt: 1, receiver: origin }
  const drained = drainReceiver(work, { sql: freezing.sql, signal: never, advance }, { ...QUICK, turnMs: 60_000 })
  await expect(drained).rejects.toThrow('another process has the work')
  expect(received).toEqual([])
  freezing.restore()
  await workUntil(isEnded(id))
  expect(received).toHaveLength(1)
})

test('deliveries that wait for a watch of a revoked key cause no work', async () => {
  const { received, origin } = receive()
  const { id, change } = await watchParcel(`${origin}/hook`)
  await change(1)
  const keyHash = 'd'.repeat(64)
  await sql`insert into api_keys (name, hashed_key, revoked_at) values ('revoked', ${keyHash}, now())`
  await sql`update watches set key_hash = ${keyHash} where id = ${id}`
  await work()
  const before = await sql`select from work where subject = ${origin}`
  await callForgottenReceivers(sql)
  expect(await sql`select from work where subject = ${origin}`).toHaveLength(before.length)
  expect(received).toEqual([])
})

test('private addresses are never requested, even if a name resolves to one', async () => {
  const { received, origin, server } = receive()
  for (const address of [
    origin,
    `http://localhost:${server.port}`,
    `http://[::1]:${server.port}`,
    'http://169.254.169.254/latest',
  ]) {
    const { id, change } = await watchParcel(address)
    await change(1)
    await work({ allowPrivate: false, ...NO_RETRY })
    expect((await logOf(id))[0]).toMatchObject({
      ...{ status: 'pending', attempts: 1, error: expect.stringContaining('is not on the public internet') },
    })
  }
  expect(received).toEqual([])
})

test('a test is sent immediately and without a change; a new address and a new secret apply to pending deliveries', async () => {
  const first = receive(() => new Response('', { status: 500 }))
  const { id, secret, change } = await watchParcel(first.origin)
  await change(1)
  await work(NO_RETRY)
  await sql.begin((tx) => testWatch(tx, OWNER.owner, id))
  await work(NO_RETRY)
  expect(first.received.map(({ json }) => json)).toMatchObject([
    { type: 'parcel.changed' },
    { type: 'watch.test', data: { watch_id: id } },
  ])
  const second = receive()
  const changed = await sql.begin((tx) =>
    changeWatch(tx, OWNER.owner, id, { webhook_url: second.origin, new_secret: true }, { allowPrivate: true }),
  )
  expect(changed?.secret).toStartWith('whsec_')
  expect(changed?.secret).not.toBe(secret)
  await sql`update webhook_deliveries set next_attempt_at = now() where watch_id = ${id} and status = 'pending'`
  await workUntil(isEnded(id))
  expect(second.received).toHaveLength(2)
  for (const { body, headers } of second.received) new Webhook(changed?.secret ?? '').verify(body, headers)
})
