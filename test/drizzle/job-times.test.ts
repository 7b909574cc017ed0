import { expect, test } from 'bun:test'
import type { Transaction } from '../../core/postgres/database'
import { requeueExpiredJobs } from '../../drizzle/queries/jobs/dispatch/requeue-expired-jobs'
import { claimJobs } from '../../drizzle/queries/jobs/run/claim-jobs'
import { completeJobs } from '../../drizzle/queries/jobs/run/complete-jobs'
import { failJob } from '../../drizzle/queries/jobs/run/fail-job'
import { handBackJobs } from '../../drizzle/queries/jobs/run/hand-back-jobs'
import { cancelJob } from '../../drizzle/queries/jobs/scrape-jobs'
import { enqueue, findJob, insertSource, insertVendor } from '../jobs/job-rows'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()
await insertVendor(sql, 'test', 100)
await insertSource(sql, 'elm', 'test')

const failed = { attempt: 1, code: 'timeout', message: 'it took too long', retryAfterMs: null, retryInMs: null }

const parcelOf = async (id: string): Promise<string> => {
  const [job] = await sql<{ parcel: string }[]>`select source_parcel_id as parcel from scrape_jobs where id = ${id}`
  return job?.parcel ?? ''
}

/** Ways to end a job. */
const ENDS: Record<string, (tx: Transaction, id: string) => Promise<unknown>> = {
  'is cancelled': (tx, id) => cancelJob(tx, id, 'cancelled by a test'),
  'is done': (tx, id) => completeJobs(tx, [{ id, attempt: 1 }]),
  fails: (tx, id) => failJob(tx, { id, ...failed }),
  'is handed back and replaced': async (tx, id) => {
    await enqueue(sql, 'elm', [await parcelOf(id)])
    await handBackJobs(tx, [{ id, attempt: 1 }])
  },
  'loses its worker': async (tx, id) => {
    await tx`update scrape_jobs set lease_expires_at = now() - interval '1 s' where id = ${id}`
    await requeueExpiredJobs(tx, { at: Date.now(), maxAttempts: 1, limit: 10 })
  },
}

let parcels = 0
for (const [what, end] of Object.entries(ENDS)) {
  test(`a job that ${what} ends after its start, even in a transaction that began before the start`, async () => {
    const [id = ''] = await enqueue(sql, 'elm', [`P-${parcels++}`])
    await sql.begin(async (tx) => {
      // From here on, now() does not change in this transaction.
      await tx`select now()`
      await Bun.sleep(50)
      expect((await claimJobs(sql, [{ id, attempts: 0 }], 60_000)).claimed).toHaveLength(1)
      await end(tx, id)
    })
    const job = await findJob(sql, id)
    expect(['done', 'error']).toContain(job.status)
    expect(Number(job.finished_at)).toBeGreaterThanOrEqual(Number(job.started_at))
    expect(job.duration_ms).toBeGreaterThanOrEqual(0)
    const [row] = await sql<{ failures: { duration_ms: number; started_at: string; ended_at: string }[] | null }[]>`
      select failures from scrape_jobs where id = ${id}`
    for (const failure of row?.failures ?? []) {
      expect(failure.duration_ms).toBeGreaterThanOrEqual(0)
      expect(failure.ended_at >= failure.started_at).toBe(true)
    }
    const attempts = await sql<{ duration_ms: number }[]>`select duration_ms from scrape_attempts where job_id = ${id}`
    for (const { duration_ms } of attempts) expect(duration_ms).toBeGreaterThanOrEqual(0)
  })
}

test('a job or crawl that ends before it began is refused by the database', async () => {
  const refused = (query: Promise<unknown>) =>
    query.then(
      () => 'stored',
      ({ code }) => code,
    )
  expect(
    await refused(sql`insert into scrape_jobs (source, source_parcel_id, vendor, status, started_at, finished_at)
      values ('elm', 'backwards', 'test', 'done', now(), now() - interval '1 ms')`),
  ).toBe('23514')
  expect(
    await refused(sql`insert into scrape_jobs (source, source_parcel_id, vendor, status, duration_ms)
      values ('elm', 'backwards', 'test', 'done', -1)`),
  ).toBe('23514')
})
