import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHANNELS } from '../../../core/channels'
import { connectDatabase } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { listVendorFigures } from '../../../drizzle/queries/jobs/dispatch/queue-figures'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { startRedis } from '../../support/redis-server'
import { processorMs, processorMsOfFamily } from '../processor-time'
import { atLeast, atMost, type Goal, report } from '../report'

/*
 * bun run bench jobs [--jobs 20000] [--backlog 1000000] [--only embedded,redis,backlog,crowd,long]
 *
 * On a real PostgreSQL, measures:
 * - jobs per second of one worker process with an adapter that does nothing (goals: 3,000 on Redis, 2,000 embedded, each done once)
 * - the time of one job while `--backlog` jobs of another vendor are queued (goal: at most 1.5 times the time without)
 * - how long one caller's job waits for a vendor when another caller has queued 30,000 jobs there
 * - how often a job of 45 s runs (goal: once)
 * Exits with code 1 when a goal is missed.
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
const MIN_PER_SECOND = { redis: 3_000, embedded: 2_000 }
const BACKLOG_RATIO = 1.5
const CROWD = 30_000
const CROWDED_SLOTS = 6
const CROWDED_SCRAPE_MS = 200

let failed = false
const judge = (title: string, measured: string, goal: Goal, rival: string | null = null): void => {
  failed ||= !goal.met
  console.log(
    `${title}: ${measured}${rival === null ? '' : ` (against ${rival})`}, ${goal.text}: ${goal.met ? 'met' : 'MISSED'}`,
  )
  report({ bench: 'jobs', title, measured, rival, goal })
}

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
  await sql`select pg_notify(${CHANNELS.jobsQueued}, '')`
}

const startWorker = async (queueAddress: string, scrapeMs = 0) => {
  const child = Bun.spawn(['bun', 'test/jobs/worker/worker-process.ts', postgres.url, queueAddress, String(scrapeMs)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await child.stdout.getReader().read()
  return child
}

/** Waits until the vendor has no queued and no running job. It reads the tallies, because counting the jobs would cost as much as running some. */
const waitForDone = async (): Promise<void> => {
  while (
    (await listVendorFigures(sql)).some(({ vendor, queued, running }) => vendor === 'bench' && queued + running > 0)
  )
    await Bun.sleep(50)
}

/** The time from the first start of a job to the last end, read from the rows, and the processor time of each process. */
const measure = async (
  name: keyof typeof MIN_PER_SECOND,
  { address, pid = null }: { address: string; pid?: number | null },
): Promise<void> => {
  const worker = await startWorker(address)
  await enqueueMany('warm-', 500)
  await waitForDone()
  await sql`delete from scrape_jobs where vendor = 'bench'`
  const used = () => [processorMs(worker.pid), processorMsOfFamily(postgres.pid), pid === null ? 0 : processorMs(pid)]
  const before = used()
  await enqueueMany(`${name}-`, JOBS)
  await waitForDone()
  const perJob = used().map((ms, index) => Math.round(((ms - (before[index] ?? 0)) * 1_000) / JOBS))
  const [row] = await sql<{ seconds: number; tries: number; parcels: number }[]>`
    select extract(epoch from max(finished_at) - min(started_at))::float8 as seconds, sum(attempts)::int as tries,
      (select count(*)::int from parcels where source_parcel_id like ${`${name}-%`}) as parcels
    from scrape_jobs where vendor = 'bench'`
  const { seconds = 0, tries = 0, parcels = 0 } = row ?? {}
  const rate = Math.round(JOBS / seconds)
  judge(`${name} queue, ${JOBS} jobs in ${seconds.toFixed(1)} s`, `${rate} jobs/s`, atLeast(rate, MIN_PER_SECOND[name]))
  console.log(`${name} queue, processor time of a job: worker, PostgreSQL, Redis: ${perJob.join(', ')} µs`)
  const isOnce = tries === JOBS && parcels === JOBS
  judge(`${name} queue, each done once`, `${tries} tries, ${parcels} parcels`, { text: `${JOBS} of each`, met: isOnce })
  worker.kill('SIGTERM')
  await worker.exited
  await sql`delete from scrape_jobs where vendor = 'bench'`
}

/** The time from queueing one job to its end, while many jobs of another vendor are queued. */
const measureBacklog = async (): Promise<void> => {
  await insertVendor(sql, 'waiting', 1)
  await insertSource(sql, 'waiting', 'waiting')
  const worker = await startWorker(join(dir, 'backlog'))
  const latency = async (): Promise<{ p50: number; p95: number }> => {
    const times: number[] = []
    for (let n = 0; n < 100; n++) {
      await sql`delete from scrape_jobs where vendor = 'bench' and status in ('done', 'error')`
      const startedAt = performance.now()
      await enqueueMany(`one-${n}-`, 1)
      await waitForOne()
      times.push(performance.now() - startedAt)
    }
    times.sort((a, b) => a - b)
    return { p50: times[50] ?? 0, p95: times[95] ?? 0 }
  }
  const waitForOne = async () => {
    while ((await sql`select from scrape_jobs where vendor = 'bench' and status = 'done'`).length === 0)
      await Bun.sleep(2)
  }
  const alone = await latency()
  await enqueueMany('waiting-', Number(options.backlog), 'waiting')
  await sql`vacuum analyze scrape_jobs`
  const beside = await latency()
  for (const share of ['p50', 'p95'] as const) {
    const ratio = beside[share] / alone[share]
    judge(
      `from queued to done beside ${options.backlog} jobs of another vendor, ${share}`,
      `${beside[share].toFixed(0)} ms (${ratio.toFixed(2)})`,
      atMost(ratio, BACKLOG_RATIO),
      `${alone[share].toFixed(0)} ms alone`,
    )
  }
  worker.kill('SIGTERM')
  await worker.exited
  await sql`delete from scrape_jobs where vendor = 'bench'`
}

/** The time until a caller's job starts at a vendor where another caller has queued `CROWD` jobs. */
const measureCrowd = async (name: string, queueAddress: string): Promise<void> => {
  await insertVendor(sql, 'crowded', CROWDED_SLOTS)
  await insertSource(sql, 'crowded', 'crowded')
  const worker = await startWorker(queueAddress, CROWDED_SCRAPE_MS)
  const order = (caller: number, count: number) => sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, priority, ordered_by)
    select 'crowded', ${`caller-${caller}-`} || n, 'crowded', 'high', md5(${String(caller)}::text)::uuid
    from generate_series(1, ${count}::int) n`
  await order(1, CROWD)
  await sql`select pg_notify(${CHANNELS.jobsQueued}, '')`
  // By then the vendor's queue is full.
  await Bun.sleep(8_000)
  await order(2, 1)
  await sql`select pg_notify(${CHANNELS.jobsQueued}, '')`
  const startedAt = performance.now()
  const hasStarted = () => sql`select from scrape_jobs where source_parcel_id = 'caller-2-1' and status <> 'queued'`
  while ((await hasStarted()).length === 0 && performance.now() - startedAt < 120_000) await Bun.sleep(20)
  const seconds = (performance.now() - startedAt) / 1_000
  const pace = (CROWDED_SLOTS * 1_000) / CROWDED_SCRAPE_MS
  judge(
    `${name} queue, start of a caller's job beside ${CROWD} of another at ${pace} jobs/s`,
    `${seconds.toFixed(1)} s`,
    atMost(seconds, 5),
  )
  worker.kill('SIGKILL')
  await worker.exited
  await sql`delete from scrape_jobs`
  await sql`delete from source_refresh_policies where source = 'crowded'`
  await sql`delete from parcels where source = 'crowded'`
  await sql`delete from sources where source = 'crowded'`
  await sql`delete from vendor_concurrency where vendor = 'crowded'`
}

/** Runs one long job, with two workers if the queue allows it. */
const measureLong = async (name: string, queueAddress: string, workers: number): Promise<void> => {
  const started = await Promise.all(Array.from({ length: workers }, () => startWorker(queueAddress, 45_000)))
  await enqueueMany(`long-${name}-`, 1)
  await waitForDone()
  const [job] = await sql<{ attempts: number; ms: number }[]>`
    select attempts, duration_ms as ms from scrape_jobs where vendor = 'bench'`
  const ends = await sql`select from scrape_attempts join scrape_jobs on id = job_id where scrape_jobs.vendor = 'bench'`
  judge(`${name} queue, ${workers} workers, a job of ${job?.ms} ms`, `${job?.attempts} runs, ${ends.length} ends`, {
    text: '1 of each',
    met: job?.attempts === 1 && ends.length === 1,
  })
  for (const worker of started) worker.kill('SIGTERM')
  await Promise.all(started.map(({ exited }) => exited))
  await sql`delete from scrape_jobs where vendor = 'bench'`
}

const cases: Record<string, () => Promise<void>> = {
  embedded: () => measure('embedded', { address: join(dir, 'queue') }),
  redis: async () => {
    const redis = await startRedis()
    await measure('redis', { address: redis.url, pid: redis.pid })
    await redis.kill()
  },
  backlog: measureBacklog,
  crowd: async () => {
    const redis = await startRedis()
    await measureCrowd('redis', redis.url)
    await redis.kill()
    await measureCrowd('embedded', join(dir, 'crowd'))
  },
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
process.exit(failed ? 1 : 0)
