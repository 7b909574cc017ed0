import { afterAll, afterEach, expect, test } from 'bun:test'
import { commandOf } from '../../runner/programs'
import { isRedisMissing, startRedis } from '../../support/redis-server'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countByStatus, enqueue, insertSource, insertVendor } from '../job-rows'

/** A worker gets SIGTERM while it runs 200 jobs, and another one takes over. */
const JOBS = 200
const EXIT_MS = 30_000

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', JOBS)
await insertSource(sql, 'elm', 'test')
const children = new Set<Bun.Subprocess>()
const redis = isRedisMissing ? null : await startRedis()
const killAll = async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([...children].map(({ exited }) => exited))
}
afterEach(killAll)
afterAll(async () => redis?.kill())

const startWorker = (scrapeMs: number) => {
  const child = Bun.spawn(commandOf('test/jobs/worker/worker-process.ts', url, redis?.url ?? '', String(scrapeMs)), {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  children.add(child)
  child.exited.then(() => children.delete(child))
  return child
}

/** How many jobs are done, and how many results were stored. */
const outcome = async () => {
  const [row] = await sql<{ done: number; stored: number; ends: number }[]>`
    select count(*) filter (where status = 'done')::int as done,
      (select count(*)::int from parcels where scraped_at is not null) as stored,
      (select count(*)::int from scrape_attempts where outcome = 'done') as ends
    from scrape_jobs`
  return row
}

const runUntilStopped = async (scrapeMs: number) => {
  await sql`truncate scrape_jobs, scrape_attempts, parcels cascade`
  const ids = Array.from({ length: JOBS }, (_, index) => `parcel-${index}`)
  await enqueue(sql, 'elm', ids)
  const worker = startWorker(scrapeMs)
  // On a busy machine, the first short jobs end before the last one begins.
  await waitFor(async () => {
    const { queued = 0, running = 0 } = await countByStatus(sql)
    return queued === 0 && running > 0
  })
  const toldAt = performance.now()
  worker.kill('SIGTERM')
  expect(await worker.exited).toBe(0)
  return performance.now() - toldAt
}

test.skipIf(isRedisMissing)('SIGTERM during 200 short jobs: each is done once, and the worker exits', async () => {
  expect(await runUntilStopped(10_000)).toBeLessThan(EXIT_MS)
  expect(await outcome()).toEqual({ done: JOBS, stored: JOBS, ends: JOBS })
})

test.skipIf(isRedisMissing)(
  'SIGTERM during 200 long jobs: they are handed back within 30 s, and another worker does each once',
  async () => {
    expect(await runUntilStopped(120_000)).toBeLessThan(EXIT_MS)
    expect(await countByStatus(sql)).toEqual({ queued: JOBS })
    startWorker(0)
    await waitFor(async () => (await countByStatus(sql)).done === JOBS, 40_000)
    expect(await outcome()).toEqual({ done: JOBS, stored: JOBS, ends: JOBS })
    // An attempt that was handed back does not count.
    const [row] = await sql<{ most: number }[]>`select max(attempts - handed_back)::int as most from scrape_jobs`
    expect(row?.most).toBe(1)
  },
  150_000,
)
