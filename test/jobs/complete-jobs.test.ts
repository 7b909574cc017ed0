import { expect, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { claimJobs } from '../../drizzle/queries/jobs/run/claim-jobs'
import { completeJobs } from '../../drizzle/queries/jobs/run/complete-jobs'
import { createTestDatabase } from '../servers'
import { enqueue, insertSource, insertVendor } from './job-rows'

const LEASE_MS = 60_000
const { url, sql } = await createTestDatabase()

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
  const parcels = Array.from({ length: 10_000 }, () => Bun.randomUUIDv7())
  const ended = (await enqueue(sql, 'ash', parcels)).slice(0, 1_000).map((id) => ({ id, attempts: 0 }))
  const before = await entriesRead()
  for (let from = 0; from < ended.length; from += 50) {
    const { claimed } = await claimJobs(worker, ended.slice(from, from + 50), LEASE_MS)
    expect(await worker.begin((tx) => completeJobs(tx, claimed))).toHaveLength(50)
  }
  expect((await entriesRead()) - before).toBeLessThan(4 * ended.length)
  await worker.end()
})
