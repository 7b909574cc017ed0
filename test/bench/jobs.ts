import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../drizzle/database'
import { migrate } from '../../drizzle/migrate'
import { startPostgres } from '../../src/embedded/postgres'
import { insertSource, insertVendor } from '../jobs/job-rows'
import { startRedis } from '../redis-server'
import { report } from './report'

/*
 * bun run bench jobs [--jobs 20000] [--backlog 1000000] [--only embedded,redis,backlog,long]
 *
 * Jobs per second with an adapter that does nothing: every job is handed over, claimed, scraped, stored and done, by one worker
 * process, on a real PostgreSQL. And what handing jobs over costs while `--backlog` jobs of another vendor wait. And
 * how often a job of 45 s is run.
 */
const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    backlog: { type: 'string', default: '1000000' },
    concurrency: { type: 'string', default: '100' },
    only: { type: 'string' },
  },
})
const JOBS = Number(options.jobs)

const dir = mkdtempSync(join(tmpdir(), 'bench-jobs-'))
const postgres = await startPostgres(join(dir, 'postgres'))
await migrate(postgres.url)
const sql = connectDatabase(postgres.url, { max: 4 })
await insertVendor(sql, 'bench', Number(options.concurrency))
await insertSource(sql, 'bench', 'bench')

const enqueueMany = async (prefix: string, count: number, source = 'bench'): Promise<void> => {
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor)
    select source, ${prefix} || n, vendor from sources, generate_series(1, ${count}::int) as n where source = ${source}`
  await sql`select pg_notify('scrape_jobs_queued', '')`
}

const startWorker = async (queueAddress: string, scrapeMs = 0) => {
  const child = Bun.spawn(['bun', 'test/jobs/worker-process.ts', postgres.url, queueAddress, String(scrapeMs)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await child.stdout.getReader().read()
  return child
}

const waitForDone = async (db: Sql, count: number): Promise<void> => {
  for (;;) {
    const [row] = await db<
      { n: number }[]
    >`select count(*)::int as n from scrape_jobs where status = 'done' and vendor = 'bench'`
    if ((row?.n ?? 0) >= count) return
    await Bun.sleep(50)
  }
}

/** From the first start of a job to the last end, as the rows tell. */
const measure = async (name: string, queueAddress: string): Promise<void> => {
  const worker = await startWorker(queueAddress)
  await enqueueMany('warm-', 500)
  await waitForDone(sql, 500)
  await sql`delete from scrape_jobs where vendor = 'bench'`
  await enqueueMany(`${name}-`, JOBS)
  await waitForDone(sql, JOBS)
  const [row] = await sql<{ seconds: number; tries: number; parcels: number }[]>`
    select extract(epoch from max(finished_at) - min(started_at))::float8 as seconds, sum(attempts)::int as tries,
      (select count(*)::int from parcels where source_parcel_id like ${`${name}-%`}) as parcels
    from scrape_jobs where vendor = 'bench'`
  const { seconds = 0, tries = 0, parcels = 0 } = row ?? {}
  console.log(
    `${name}: ${Math.round(JOBS / seconds)} jobs/s (${JOBS} jobs, ${tries} tries, ${parcels} parcels, ${seconds.toFixed(1)} s)`,
  )
  report({ bench: 'jobs', title: `${name} queue, ${JOBS} jobs`, measured: `${Math.round(JOBS / seconds)} jobs/s` })
  worker.kill('SIGTERM')
  await worker.exited
  await sql`delete from scrape_jobs where vendor = 'bench'`
}

/** The time from queueing one job to its end, while many of another vendor wait. */
const measureBacklog = async (): Promise<void> => {
  await insertVendor(sql, 'waiting', 1)
  await insertSource(sql, 'waiting', 'waiting')
  const worker = await startWorker(join(dir, 'backlog'))
  const latency = async (): Promise<string> => {
    const times: number[] = []
    for (let n = 0; n < 100; n++) {
      await sql`delete from scrape_jobs where vendor = 'bench' and status in ('done', 'error')`
      const startedAt = performance.now()
      await enqueueMany(`one-${n}-`, 1)
      await waitForOne()
      times.push(performance.now() - startedAt)
    }
    times.sort((a, b) => a - b)
    return `p50 ${times[50]?.toFixed(0)} ms, p95 ${times[95]?.toFixed(0)} ms`
  }
  const waitForOne = async () => {
    while ((await sql`select from scrape_jobs where vendor = 'bench' and status = 'done'`).length === 0)
      await Bun.sleep(2)
  }
  console.log(`from queued to done, nothing else waiting: ${await latency()}`)
  await enqueueMany('waiting-', Number(options.backlog), 'waiting')
  await sql`vacuum analyze scrape_jobs`
  console.log(`the same, ${options.backlog} queued of another vendor: ${await latency()}`)
  worker.kill('SIGTERM')
  await worker.exited
  await sql`delete from scrape_jobs where vendor = 'bench'`
}

/** Two workers, where the queue allows it, and one job that takes long. */
const measureLong = async (name: string, queueAddress: string, workers: number): Promise<void> => {
  const started = await Promise.all(Array.from({ length: workers }, () => startWorker(queueAddress, 45_000)))
  await enqueueMany(`long-${name}-`, 1)
  await waitForDone(sql, 1)
  const rows = await sql<{ status: string; attempts: number; ms: number }[]>`
    select status, attempts, duration_ms as ms from scrape_jobs where vendor = 'bench'`
  const ends = await sql`select from scrape_attempts join scrape_jobs on id = job_id where scrape_jobs.vendor = 'bench'`
  console.log(`${name}, a job of 45 s:`, ...rows, `${ends.length} end`)
  for (const worker of started) worker.kill('SIGTERM')
  await Promise.all(started.map(({ exited }) => exited))
  await sql`delete from scrape_jobs where vendor = 'bench'`
}

const cases: Record<string, () => Promise<void>> = {
  embedded: () => measure('embedded', join(dir, 'queue')),
  redis: async () => {
    const redis = await startRedis()
    await measure('redis', redis.url)
    await redis.kill()
  },
  backlog: measureBacklog,
  long: async () => {
    const redis = await startRedis()
    await measureLong('redis', redis.url, 2)
    await redis.kill()
    await measureLong('embedded', join(dir, 'long'), 1)
  },
}
try {
  for (const [name, run] of Object.entries(cases)) {
    if (options.only === undefined || options.only.split(',').includes(name)) await run()
  }
} finally {
  await sql.end()
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}
