import { afterAll, expect, test } from 'bun:test'
import { pino } from 'pino'
import { connectDatabase, type Sql, type Transaction } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { watchDatabaseClock } from '../../../src/jobs/dispatcher/database-clock'
import { LeaseChecks } from '../../../src/jobs/dispatcher/lease-checks'
import { createTestDatabase, waitFor } from '../../support/servers'
import { enqueue, findJob, insertSource, insertVendor } from '../job-rows'

const { sql, url } = await createTestDatabase()
await insertVendor(sql, 'pacs', 100)
await insertSource(sql, 'elm', 'pacs')

/** Sessions with this search path read a clock that is ahead by `clock.ahead`. */
await sql.unsafe(`
  create schema clock;
  create table clock.ahead as select interval '1 hour' as by;
  create function clock.now() returns timestamptz language sql as 'select pg_catalog.now() + by from clock.ahead';
  create function clock.clock_timestamp() returns timestamptz language sql as 'select pg_catalog.clock_timestamp() + by from clock.ahead'`)
const clockUrl = `${url}?search_path=clock,public,pg_catalog`
const clocked = connectDatabase(clockUrl, { max: 2 })
afterAll(() => clocked.end())

const setClock = (ahead: string) => sql`update clock.ahead set by = ${ahead}::interval`

const createWatched = (leaseMs = 1_000) => {
  const added: string[] = []
  const queue = {
    add: async (_: string, jobs: readonly { id: string }[]) => void added.push(...jobs.map(({ id }) => id)),
  }
  const log = pino({ level: 'silent' })
  let turns = 0
  const dispatcher = createDispatcher({
    ...{ databaseUrl: clockUrl, sql: clocked, queue, log },
    leaseMs,
    pollMs: 10,
    onTurn: () => turns++,
  })
  return {
    dispatcher,
    added,
    nextTurns: async () => {
      const before = turns
      await waitFor(() => turns >= before + 10, 30_000)
    },
  }
}

/** Makes jobs as if they were queued, or as if `state` had happened to them, an hour from now. */
const enqueueAnHourAhead = async (parcel: string, state: 'queued' | 'retried' | 'running') => {
  const hour = sql`pg_catalog.now() + interval '1 hour'`
  // In one transaction: the dispatcher must not see a job that is due now.
  const [id] = await sql.begin(async (tx) => {
    const ids = (await enqueue(tx, 'elm', [parcel])) as [string]
    await tx`
    update scrape_jobs set created_at = ${hour}, updated_at = ${hour},
      not_before = ${hour} + ${state === 'retried' ? '10 minutes' : '0'}::interval,
      attempts = ${state === 'queued' ? 0 : 1}, status = ${state === 'running' ? 'running' : 'queued'},
      started_at = case when ${state === 'running'} then ${hour} end,
      lease_expires_at = case when ${state === 'running'} then ${hour} + interval '10 seconds' end
    where id = ${ids[0]}`
    return ids
  })
  return id
}

for (const when of ['while it dispatches', 'while nobody dispatched'] as const) {
  test(`jobs do not wait for as long as the clock was set back ${when}`, async () => {
    const isRunning = when === 'while it dispatches'
    await setClock(isRunning ? '1 hour' : '0')
    const { dispatcher, added, nextTurns } = createWatched()
    if (isRunning) {
      dispatcher.start()
      await nextTurns()
    }
    // Not due by a clock that is an hour ahead, either.
    const [queued, retried, lost] = [
      await enqueueAnHourAhead(`${when} 1`, 'queued'),
      await enqueueAnHourAhead(`${when} 2`, 'retried'),
      await enqueueAnHourAhead(`${when} 3`, 'running'),
    ]
    const [work] = await sql<{ id: string }[]>`
      insert into work (kind, payload, created_at, not_before)
      select 'trial', '{}', hour, hour from (select pg_catalog.now() + interval '1 hour' as hour) returning id`
    await setClock('0')
    if (!isRunning) dispatcher.start()
    try {
      await waitFor(async () => added.includes(queued) && added.includes(lost), 30_000)
      const { not_before: notBefore } = await findJob(sql, retried)
      expect(added).not.toContain(retried)
      expect(notBefore.getTime()).toBeLessThan(Date.now() + 600_000)
      expect(await sql`select from scrape_jobs where id = ${retried} and dispatched_at is null`).toHaveLength(1)
      expect((await findJob(sql, lost)).error_code).toBe('worker_lost')
      expect(await sql`select from work where id = ${work?.id ?? ''} and not_before <= now()`).toHaveLength(1)
    } finally {
      await dispatcher.stop()
    }
  }, 60_000)
}

test('webhooks, the probe of a breaker and the tuner do not wait for as long as the clock was set back', async () => {
  await setClock('0')
  const hour = sql`now() + interval '1 hour'`
  const [watch] = await sql<{ id: string }[]>`
    insert into watches (owner, created_by, kind, source, webhook_url, webhook_secret, receiver, after_version, held_until)
    values (uuidv7(), 'x', 'source', 'elm', 'https://a.example', 'whsec_', 'https://a.example', 0, ${hour}) returning id`
  await sql`
    insert into webhook_deliveries (watch_id, status, queued_at, next_attempt_at) values
      (${watch?.id ?? ''}, 'pending', ${hour}, ${hour}), (${watch?.id ?? ''}, 'pending', ${hour}, ${hour} + interval '2 minutes')`
  await insertVendor(sql, 'broken', 4)
  const hourMs = Date.now() + 3_600_000
  await sql`
    update vendor_concurrency set breaker_opened_at = ${hour}, probed_at = ${hour},
      tuner_state = ${sql.json({ changedAt: hourMs, breakerOpenedAt: hourMs, probeAt: hourMs, ceiling: 3 })}
    where vendor = 'broken'`
  const { dispatcher } = createWatched()
  dispatcher.start()
  try {
    const corrected = async () => {
      const [row] = await sql<{ done: boolean; state: Record<string, number> }[]>`
        select breaker_opened_at <= now() and probed_at <= now() as done, tuner_state as state from vendor_concurrency
        where vendor = 'broken'`
      expect(row?.state).toMatchObject({ probeAt: hourMs, ceiling: 3 })
      const soon = Date.now() + 1_000
      return (
        row?.done === true && (row.state.changedAt ?? hourMs) < soon && (row.state.breakerOpenedAt ?? hourMs) < soon
      )
    }
    await waitFor(corrected, 30_000)
    const waits = await sql<{ minutes: number }[]>`
      select ceil(extract(epoch from next_attempt_at - now()) / 60)::int as minutes from webhook_deliveries
      where watch_id = ${watch?.id ?? ''} order by id`
    expect(waits.map(({ minutes }) => Math.max(0, minutes))).toEqual([0, 2])
    expect(await sql`select from watches where held_until < now() + interval '11 minutes'`).toHaveLength(1)
  } finally {
    await dispatcher.stop()
  }
}, 60_000)

test('times are corrected although the first attempt fails', async () => {
  await setClock('1 hour')
  const log = pino({ level: 'silent' })
  const checks = new LeaseChecks({ sql: clocked, log, leaseMs: 1_000, everyMs: 0 })
  let fails = false
  const begin = async (db: Sql, write: (tx: Transaction) => Promise<unknown>) => {
    if (fails) throw new Error('the server restarts')
    return db.begin(write)
  }
  const lead = { begin } as Lead
  await checks.run(lead)
  const job = await enqueueAnHourAhead('corrected', 'queued')
  await setClock('0')
  fails = true
  await expect(checks.run(lead)).rejects.toThrow('restarts')
  fails = false
  await checks.run(lead)
  expect((await findJob(sql, job)).not_before.getTime()).toBeLessThan(Date.now() + 1_000)
})

test('live workers keep their jobs when the clock is set forward, also if another process dispatches then', async () => {
  await setClock('0')
  const leaseMs = 5_000
  const [first, second] = [createWatched(leaseMs), createWatched(leaseMs)]
  first.dispatcher.start()
  try {
    const runUntil = async (parcel: string, lease: string) => {
      const [id] = (await enqueue(sql, 'elm', [parcel])) as [string]
      await sql`update scrape_jobs set status = 'running', attempts = 1, started_at = now(), dispatched_at = null,
        lease_expires_at = now() + ${lease}::interval where id = ${id}`
      return id
    }
    await first.nextTurns()
    second.dispatcher.start()
    // Then the second, too, has known for a whole lease that workers could extend theirs.
    const lost = async (id: string) => (await findJob(sql, id)).error_code === 'worker_lost'
    const dead = await runUntil('dead', '-1 minute')
    await waitFor(() => lost(dead), 60_000)
    const live = await runUntil('live', '30 minutes')
    await Bun.sleep(leaseMs)
    await setClock('1 hour')
    await first.dispatcher.stop()
    const [next] = (await enqueue(sql, 'elm', ['next'])) as [string]
    await waitFor(() => second.added.includes(next), 60_000)
    expect(await findJob(sql, live)).toMatchObject({ status: 'running', error_code: null })
  } finally {
    await Promise.all([first.dispatcher.stop(), second.dispatcher.stop()])
  }
}, 90_000)

test('a change of the clock is noticed once', async () => {
  await setClock('0')
  const readClock = watchDatabaseClock(clocked)
  const looks = async () => [(await readClock()).change, (await readClock()).change]
  expect(await looks()).toEqual([null, null])
  await setClock('1 hour')
  expect(await looks()).toEqual(['forward', null])
  await setClock('0')
  expect(await looks()).toEqual(['back', null])
})
