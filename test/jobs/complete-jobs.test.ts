import { expect, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { requeueExpiredJobs } from '../../drizzle/queries/jobs/dispatch/requeue-expired-jobs'
import { cancelJobs } from '../../drizzle/queries/jobs/order/cancel-jobs'
import { claimJobs } from '../../drizzle/queries/jobs/run/claim-jobs'
import { completeJobs } from '../../drizzle/queries/jobs/run/complete-jobs'
import { extendLeases } from '../../drizzle/queries/jobs/run/extend-leases'
import { failJob } from '../../drizzle/queries/jobs/run/fail-job'
import { handBackJobs } from '../../drizzle/queries/jobs/run/hand-back-jobs'
import { createTestDatabase, waitFor } from '../support/servers'
import { enqueue, findJob, insertSource, insertVendor } from './job-rows'

const LEASE_MS = 60_000
const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'oak', 100)
await insertSource(sql, 'oak', 'oak')

test('claims and completions do not read the jobs that ended before them again and again', async () => {
  await sql`alter table scrape_jobs set (autovacuum_enabled = false)`
  await insertVendor(sql, 'ash', 100)
  await insertSource(sql, 'ash', 'ash')
  const worker = connectDatabase(url, { max: 1, planned: 'each' })
  /** How many entries of the index of running jobs were read. */
  const entriesRead = async (): Promise<number> => {
    await worker`select pg_stat_force_next_flush()`
    const [row] = await sql<{ n: number }[]>`
      select idx_tup_read::int as n from pg_stat_user_indexes where indexrelname = 'scrape_jobs_lease'`
    return row?.n ?? 0
  }
  /** Waits until no transaction of the server, of other tests too, is older than the jobs that have ended. Only then are they skipped. */
  const untilSkipped = async (): Promise<void> => {
    const [now] = await sql<{ id: string }[]>`select pg_current_xact_id()::text as id`
    await waitFor(async () => {
      const [row] = await sql<{ ended: boolean }[]>`
        select pg_snapshot_xmin(pg_current_snapshot()) > ${now?.id ?? ''}::xid8 as ended`
      return row?.ended === true
    })
  }
  const parcels = Array.from({ length: 10_000 }, () => Bun.randomUUIDv7())
  const ids = await enqueue(sql, 'ash', parcels)
  // One set of jobs that reads few ended ones is enough. A scan that never skips them reads more with each set.
  let read = Number.POSITIVE_INFINITY
  for (let ended = 0; ended < 1_000 || (read >= 200 && ended < ids.length); ended += 50) {
    if (ended >= 1_000) await untilSkipped()
    const before = await entriesRead()
    const wanted = ids.slice(ended, ended + 50).map((id) => ({ id, attempts: 0 }))
    const { claimed } = await claimJobs(worker, wanted, LEASE_MS)
    expect(await worker.begin((tx) => completeJobs(tx, claimed))).toHaveLength(50)
    read = (await entriesRead()) - before
  }
  expect(read).toBeLessThan(200)
  await worker.end()
})

test.each([
  {
    what: 'cancelled',
    end: (ids: string[]) => cancelJobs(sql, { source: 'oak', status: null, limit: ids.length }, 'cancelled'),
  },
  {
    what: 'handed back',
    end: (ids: string[]) =>
      handBackJobs(
        sql,
        ids.map((id) => ({ id, attempt: 1 })),
      ),
  },
])('jobs can be $what while a worker stores them, without a deadlock', async ({ end }) => {
  // The order of the keys is not that of the ids.
  const ids = [...(await enqueue(sql, 'oak', ['z'])), ...(await enqueue(sql, 'oak', ['a']))]
  const { claimed } = await claimJobs(
    sql,
    ids.map((id) => ({ id, attempts: 0 })),
    LEASE_MS,
  )
  const [first, second] = claimed.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  if (first === undefined || second === undefined) throw new Error('the jobs were not claimed')
  let ending: Promise<unknown> = Promise.resolve()
  await sql.begin(async (tx) => {
    await completeJobs(tx, [first])
    ending = Promise.resolve(end(ids))
    ending.catch(() => {})
    await waitFor(async () => {
      const waiting =
        await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting.length > 0
    })
    expect(await completeJobs(tx, [second])).toHaveLength(1)
  })
  await ending
  expect(await sql`select from scrape_jobs where source = 'oak' and status <> 'done'`).toHaveLength(0)
})

test('a former attempt neither ends the job of the current attempt nor extends its lease', async () => {
  const [id = ''] = await enqueue(sql, 'oak', ['claimed twice'])
  const [former, current] = [
    { id, attempt: 1 },
    { id, attempt: 2 },
  ]
  await claimJobs(sql, [{ id, attempts: 0 }], LEASE_MS)
  await handBackJobs(sql, [former])
  await claimJobs(sql, [{ id, attempts: 1 }], LEASE_MS)
  const read = () => sql`select * from scrape_jobs where id = ${id}`
  const before = await read()
  expect(await extendLeases(sql, [former], 2 * LEASE_MS)).toEqual([id])
  expect(await sql.begin((tx) => completeJobs(tx, [former]))).toHaveLength(0)
  const failure = { code: 'timeout', message: 'too late', retryAfterMs: null, retryInMs: null }
  expect(await failJob(sql, { ...former, ...failure })).toBe(false)
  await handBackJobs(sql, [former])
  expect(await read()).toEqual(before)
  expect(await sql.begin((tx) => completeJobs(tx, [current]))).toHaveLength(1)
})

test('a job that loses its worker or fails is queued again, but ends if a newer job of its parcel waits', async () => {
  const failure = { attempt: 1, code: 'timeout', message: 'too slow', retryAfterMs: null, retryInMs: 1_000 }
  const expire = (id: string) => sql`update scrape_jobs set lease_expires_at = now() - interval '1 s' where id = ${id}`
  for (const isReplaced of [false, true]) {
    const [lost = '', failing = ''] = await enqueue(sql, 'oak', [`lost ${isReplaced}`, `failing ${isReplaced}`])
    await claimJobs(
      sql,
      [lost, failing].map((id) => ({ id, attempts: 0 })),
      LEASE_MS,
    )
    const newer = isReplaced ? await enqueue(sql, 'oak', [`lost ${isReplaced}`, `failing ${isReplaced}`]) : []
    await expire(lost)
    expect(await requeueExpiredJobs(sql, { at: Date.now(), maxAttempts: 3, limit: 10 })).toBe(1)
    await failJob(sql, { id: failing, ...failure })
    const status = isReplaced ? 'error' : 'queued'
    expect(await findJob(sql, lost)).toMatchObject({
      status,
      error_message: `its worker was lost${isReplaced ? ', and a newer job of this parcel waits in its place' : ''}`,
    })
    expect(await findJob(sql, failing)).toMatchObject({ status, error_message: 'too slow' })
    for (const id of newer) expect(await findJob(sql, id)).toMatchObject({ status: 'queued', attempts: 0 })
  }
})
