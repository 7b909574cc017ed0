import { afterAll, expect, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { createLeader } from '../../../core/postgres/leader/leader'
import { lockLead } from '../../../core/postgres/leader/leaders'
import { isTransient } from '../../../core/postgres/transient-errors'
import { startProxy } from '../../endurance/chaos/proxy'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, waitFor } from '../../support/servers'

const { url, sql } = await createTestDatabase()
await sql`create table written (name text, at timestamptz)`
const port = Number(new URL(url).port)

/** The longest time from the last write of a leader to the first write of the next one. */
const TAKEN_OVER_MS = 10_000

const children: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
    await child.exited
  }
})

const startWriter = (name: string, holdMs = 0) => {
  const child = Bun.spawn(commandOf('test/core/postgres/leading-process.ts', url, name, String(holdMs)), {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  children.push(child)
  return child
}
const countWritten = async (name: string) => {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from written where name = ${name}`
  return row?.count ?? 0
}
const hasWritten = (name: string) => async () => (await countWritten(name)) > 0
/** Time from the last row of one writer to the first row of the other. */
const pauseBetween = async (first: string, second: string) => {
  const [row] = await sql<{ ms: number }[]>`
    select extract(epoch from (select min(at) from written where name = ${second})
      - (select max(at) from written where name = ${first}))::float8 * 1000 as ms`
  return row?.ms ?? Number.NaN
}

const clock = async (): Promise<string> => {
  const [row] = await sql<{ at: string }[]>`select clock_timestamp()::text as at`
  return row?.at ?? ''
}
/** Waits until as many processes have taken the duty or renewed its lease, or were refused, after `since`. */
const haveAsked = (processes: number, duty: string, since: string) =>
  waitFor(async () => {
    const sessions = await sql`
      select from pg_stat_activity
      where application_name = ${`${duty}-leader`} and state = 'idle' and query like '%leaders%'
        and query_start > ${since}::text::timestamptz and datname = current_database()`
    return sessions.length >= processes
  })

const lead = async (leader: { lead: () => Promise<Lead | null> }): Promise<Lead> => {
  const taken = await leader.lead()
  if (taken === null) throw new Error('another process leads')
  return taken
}

test('one process leads at a time, and a leader that stops releases the duty immediately', async () => {
  const [first, second] = [createLeader(url, 'sweeping'), createLeader(url, 'sweeping')]
  const lead = await first.lead()
  expect(lead?.holds()).toBe(true)
  expect(await second.lead()).toBeNull()
  expect(await first.lead()).toBe(lead)
  await first.stop()
  expect(lead?.holds()).toBe(false)
  expect((await second.lead())?.holds()).toBe(true)
  expect(await first.lead()).toBeNull()
  await second.stop()
})

test('when many processes ask to lead at the same time, one leads', async () => {
  const leaders = Array.from({ length: 8 }, () => createLeader(url, 'racing'))
  const leads = await Promise.all(leaders.map((leader) => leader.lead()))
  expect(leads.filter((lead) => lead !== null)).toHaveLength(1)
  await Promise.all(leaders.map((leader) => leader.stop()))
})

test('writes of a leader with an old term are refused', async () => {
  const [first, second] = [createLeader(url, 'mopping'), createLeader(url, 'mopping')]
  const former = await lead(first)
  // As if its lease had expired. The leader does not know it yet.
  await sql`update leaders set expires_at = now() where duty = 'mopping'`
  const current = await lead(second)
  expect(former.holds()).toBe(true)
  const write = (by: Lead, name: string) => by.begin(sql, (tx) => tx`insert into written values (${name}, now())`)
  await expect(write(former, 'former')).rejects.toThrow('another process may have the duty mopping by now')
  expect(former.holds()).toBe(false)
  await write(current, 'current')
  expect([await countWritten('former'), await countWritten('current')]).toEqual([0, 1])
  await Promise.all([first.stop(), second.stop()])
})

test('a leader keeps the lead when the server ends its sessions', async () => {
  const leader = createLeader(url, 'dusting')
  const before = await lead(leader)
  for (let kill = 0; kill < 2; kill++) {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'dusting-leader'`
    await haveAsked(1, 'dusting', await clock())
    expect(await leader.lead()).toBe(before)
  }
  await leader.stop()
})

test('a leader whose packets are lost ends its lead by its own clock, and another one takes over', async () => {
  const proxy = await startProxy(port)
  const [cutOff, other] = [createLeader(proxy.through(url), 'polishing'), createLeader(url, 'polishing')]
  const former = await lead(cutOff)
  proxy.swallow('all')
  const cutAt = performance.now()
  await waitFor(async () => (await other.lead()) !== null, TAKEN_OVER_MS)
  expect(performance.now() - cutAt).toBeGreaterThan(3_000)
  expect(former.holds()).toBe(false)
  await waitFor(() => former.ended.aborted)
  await other.stop()
  await cutOff.stop()
  await proxy.stop()
})

test('a leader with dead connections replaces them and keeps the lead', async () => {
  const proxy = await startProxy(port)
  const leader = createLeader(proxy.through(url), 'waxing')
  const before = await lead(leader)
  proxy.swallow('open')
  for (const until = performance.now() + 8_000; performance.now() < until; await Bun.sleep(500)) {
    expect(await leader.lead()).toBe(before)
  }
  await leader.stop()
  await proxy.stop()
})

test('a process leads although its network delays each packet by 300 ms', async () => {
  const proxy = await startProxy(port)
  proxy.delay(300)
  const [distant, other] = [createLeader(proxy.through(url), 'commuting'), createLeader(url, 'commuting')]
  await waitFor(async () => (await distant.lead().catch(() => null)) !== null, TAKEN_OVER_MS)
  const expiry = async () =>
    (await sql<{ at: Date }[]>`select expires_at as at from leaders where duty = 'commuting'`)[0]?.at
  const first = await expiry()
  // It renews its lease more than once.
  await waitFor(async () => Number(await expiry()) > Number(first) + 5_000)
  expect(await other.lead()).toBeNull()
  await Promise.all([distant.stop(), other.stop()])
  await proxy.stop()
})

test('a leader whose work waits on a dead connection gives up, although its lease is renewed on another one', async () => {
  const proxy = await startProxy(port)
  const [stuck, other] = [createLeader(proxy.through(url), 'stuck'), createLeader(url, 'stuck')]
  await lead(stuck)
  proxy.swallow('open')
  await waitFor(async () => (await other.lead()) !== null, TAKEN_OVER_MS)
  await Promise.all([stuck.stop(), other.stop()])
  await proxy.stop()
})

test('a leader that hangs loses the lead, although its lease could be renewed', async () => {
  const hung = createLeader(url, 'hanging', { patienceMs: 1_000 })
  const other = createLeader(url, 'hanging')
  const former = await lead(hung)
  await waitFor(async () => (await other.lead()) !== null, TAKEN_OVER_MS)
  expect(former.holds()).toBe(false)
  await Promise.all([hung.stop(), other.stop()])
})

test('a dead leader loses the lead even if the server’s clock was set back', async () => {
  const [dead, next] = [createLeader(url, 'winding'), createLeader(url, 'winding')]
  await lead(dead)
  await sql`update leaders set expires_at = now() + interval '1 hour' where duty = 'winding'`
  expect(await next.lead()).not.toBeNull()
  await Promise.all([dead.stop(), next.stop()])
})

test('taking the duty waits for a transaction of the previous term, but renewing the lease does not', async () => {
  const [first, second] = [createLeader(url, 'waiting'), createLeader(url, 'waiting')]
  const current = await lead(first)
  const expiry = async () =>
    Number((await sql`select extract(epoch from expires_at) as at from leaders where duty = 'waiting'`)[0]?.at)
  await current.begin(sql, async (tx) => {
    await tx`insert into written values ('before', now())`
    const before = await expiry()
    // In the meantime the lease is renewed twice, 2 s apart.
    await waitFor(async () => {
      await tx`select pg_sleep(0.5)`
      return (await expiry()) > before + 3
    })
    expect(current.holds()).toBe(true)
    await sql`update leaders set expires_at = now() where duty = 'waiting'`
    let isTaken = false
    const taking = second.lead().then((lead) => {
      isTaken = lead !== null
    })
    await waitFor(async () => {
      const waiting = await sql`
        select from pg_stat_activity where application_name = 'waiting-leader' and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    expect(isTaken).toBe(false)
    void taking.catch(() => {})
  })
  await waitFor(async () => (await second.lead().catch(() => null)) !== null)
  expect(await countWritten('before')).toBe(1)
  await Promise.all([first.stop(), second.stop()])
})

test('a frozen process loses the lead and its open transaction within 10 s, and writes nothing after it resumes', async () => {
  const first = startWriter('frozen', 5)
  await waitFor(hasWritten('frozen'))
  const second = startWriter('successor')
  await haveAsked(2, 'writing', await clock())
  expect(await countWritten('successor')).toBe(0)
  // At an arbitrary point, most likely in a transaction.
  first.kill('SIGSTOP')
  await waitFor(hasWritten('successor'), TAKEN_OVER_MS)
  expect(await pauseBetween('frozen', 'successor')).toBeLessThan(TAKEN_OVER_MS)
  const written = await countWritten('frozen')
  const resumedAt = await clock()
  first.kill('SIGCONT')
  await haveAsked(2, 'writing', resumedAt)
  expect(await countWritten('frozen')).toBe(written)
  // It takes over again from a process that is killed.
  second.kill('SIGKILL')
  await waitFor(async () => (await countWritten('frozen')) > written, TAKEN_OVER_MS)
  // A process that is told to stop releases the duty within a second.
  const third = startWriter('third')
  await haveAsked(2, 'writing', await clock())
  first.kill('SIGTERM')
  await waitFor(hasWritten('third'))
  expect(await pauseBetween('frozen', 'third')).toBeLessThan(1_000)
  third.kill('SIGTERM')
  await Promise.all([first.exited, third.exited])
})

test('a transaction under a lead ends at its limit although the session allows a longer one', async () => {
  const name = { duty: 'limited', owner: crypto.randomUUID(), term: '1' }
  await sql`
    insert into leaders (duty, owner, term, expires_at) values (${name.duty}, ${name.owner}, 1, now() + interval '1 hour')`
  const pool = connectDatabase(url, { max: 1, patience: 'background' })
  const written = pool.begin(async (tx) => {
    expect(await lockLead(tx, { ...name, idleMs: 60_000, transactionMs: 300 })).toBe(true)
    await tx`select pg_sleep(4)`
  })
  expect(isTransient(await written.catch((error) => error))).toBe(true)
  await pool.end({ timeout: 1 })
})

test('another process can take the duty of a leader that froze between the messages of one statement', async () => {
  const proxy = await startProxy(port)
  const work = connectDatabase(proxy.through(url), { max: 1, applicationName: 'halved' })
  const leaderProxy = await startProxy(port)
  const [frozen, other] = [createLeader(leaderProxy.through(url), 'halved'), createLeader(url, 'halved')]
  const written = (await lead(frozen)).begin(work, async (tx) => {
    // The driver first requests the types of the parameters. It sends their values after the answer, 1.5 s later.
    proxy.delay(1_500)
    await tx`insert into written values (${'halved'}, now())`
  })
  const outcome = written.catch((error: unknown) => error)
  const isHalfSent = async () =>
    (
      await sql`
        select from pg_stat_activity
        where application_name = 'halved' and state = 'active' and wait_event = 'ClientRead' and query like '%written%'`
    ).length > 0
  await waitFor(isHalfSent)
  proxy.swallow('all')
  leaderProxy.swallow('all')
  const frozenAt = performance.now()
  await waitFor(async () => (await other.lead().catch(() => null)) !== null, TAKEN_OVER_MS)
  expect(performance.now() - frozenAt).toBeLessThan(TAKEN_OVER_MS)
  expect(await outcome).toMatchObject({ code: 'lead_lost' })
  expect(await countWritten('halved')).toBe(0)
  await Promise.all([frozen.stop(), other.stop(), work.end({ timeout: 0 })])
  await Promise.all([proxy.stop(), leaderProxy.stop()])
})

test('another process can take the duty of a process that froze in a transaction', async () => {
  const first = startWriter('holding', 60_000)
  await waitFor(
    async () =>
      (
        await sql`select from pg_stat_activity where application_name = 'writer-holding' and state = 'idle in transaction' and query like 'insert%'`
      ).length > 0,
    20_000,
  )
  const frozenAt = performance.now()
  first.kill('SIGSTOP')
  const second = createLeader(url, 'writing')
  await waitFor(async () => (await second.lead().catch(() => null)) !== null, TAKEN_OVER_MS)
  expect(performance.now() - frozenAt).toBeLessThan(TAKEN_OVER_MS)
  first.kill('SIGCONT')
  first.kill('SIGKILL')
  await second.stop()
  expect(await countWritten('holding')).toBe(0)
})
