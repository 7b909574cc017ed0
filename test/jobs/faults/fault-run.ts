import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { commandOf } from '../../runner/programs'
import { startRedis } from '../../support/redis-server'
import { waitFor } from '../../support/servers'
import { enqueue, insertSource, insertVendor } from '../job-rows'

export interface FaultPlan {
  queue: 'redis' | 'embedded'
  jobs: number
  /** Number of worker processes. Each kill hits the next one that runs jobs, and a new process replaces it. */
  workers: number
  /** Kills are spread evenly over the jobs. */
  kills: number
  scrapeMs: number
  concurrency: number
  /** Number of the kill after which Redis is restarted empty, or PostgreSQL crashes and recovers. */
  emptyRedisAt?: number
  crashPostgresAt?: number
}

export interface FaultReport {
  done: number
  notDone: number
  /** Left queued or running. */
  unfinished: number
  /** Jobs whose result was not stored exactly once. */
  notStoredOnce: number
  /** Jobs that did not become `done` exactly once. */
  notDoneOnce: number
  mostAttempts: number
  tries: number
  /** Kills after which there were still jobs to run. */
  killsAtWork: number
  /** The longest time from a kill to the next end of a job. */
  longestPauseMs: number
  seconds: number
}

const END_MS = 120_000
/** How long to wait for enough finished jobs and a worker that runs some. */
const WAIT_FOR_WORK_MS = 60_000

/** Runs jobs on its own servers, kills workers and servers with -9 meanwhile, and counts the outcomes. */
export const runWithFaults = async (plan: FaultPlan): Promise<FaultReport> => {
  const dir = mkdtempSync(join(tmpdir(), 'fault-run-'))
  const postgres = await startPostgres(join(dir, 'postgres'))
  let redis = plan.queue === 'redis' ? await startRedis() : null
  const sql = connectDatabase(postgres.url, { max: 3 })
  const children = new Set<Bun.Subprocess>()
  /** How many jobs each worker process runs. The processes report it. */
  const running = new Map<Bun.Subprocess, number>()

  const startWorker = () => {
    const child = Bun.spawn(
      commandOf(
        'test/jobs/worker/worker-process.ts',
        postgres.url,
        redis?.url ?? join(dir, 'queue'),
        String(plan.scrapeMs),
      ),
      { stdout: 'ignore', stderr: 'inherit', ipc: (message, sender) => running.set(sender, Number(message)) },
    )
    children.add(child)
    return child
  }
  const kill = async (child: Bun.Subprocess | undefined) => {
    if (child === undefined) return
    child.kill('SIGKILL')
    await child.exited
    children.delete(child)
  }

  try {
    await migrate(postgres.url)
    await insertVendor(sql, 'test', plan.concurrency)
    await insertSource(sql, 'elm', 'test')
    // Logs every stored result and every job that becomes `done`.
    await sql`create table stored (parcel text)`
    await sql`create table finished (id uuid)`
    await sql`
      create function note() returns trigger language plpgsql as $$ begin
        if tg_argv[0] = 'stored' then insert into stored values (new.source_parcel_id);
        elsif new.status = 'done' then insert into finished values (new.id); end if;
        return null;
      end $$`
    await sql`create trigger stored after insert or update of scraped_at on parcels for each row execute function note('stored')`
    await sql`create trigger finished after update of status on scrape_jobs for each row execute function note('finished')`
    const ids = Array.from({ length: plan.jobs }, (_, index) => `parcel-${index}`)
    await enqueue(sql, 'elm', ids)

    const startedAt = Date.now()
    const workers = Array.from({ length: plan.workers }, startWorker)
    const killedAt: string[] = []
    for (let round = 1; round <= plan.kills; round++) {
      const finishedBefore = (plan.jobs * round) / (plan.kills + 1)
      await waitFor(async () => {
        const [row] = await sql<{ count: number }[]>`select count(*)::int as count from finished`.catch(() => [])
        return (row?.count ?? 0) >= finishedBefore
      }, WAIT_FOR_WORK_MS)
      let place = round % plan.workers
      await waitFor(() => {
        const isAtWork = (running.get(workers[place] as Bun.Subprocess) ?? 0) > 0
        if (!isAtWork) place = (place + 1) % plan.workers
        return isAtWork
      }, WAIT_FOR_WORK_MS)
      await kill(workers[place])
      killedAt.push(new Date().toISOString())
      if (redis !== null && round === plan.emptyRedisAt) {
        await redis.kill()
        redis = await startRedis(redis.port)
      }
      if (round === plan.crashPostgresAt) {
        // When one backend process dies, the server ends all sessions and recovers from its log.
        const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
        process.kill(backend?.pid ?? 0, 'SIGKILL')
      }
      workers[place] = startWorker()
    }

    const deadline = Date.now() + END_MS
    for (;;) {
      const left = await sql`select from scrape_jobs where status in ('queued', 'running') limit 1`.catch(() => [1])
      if (left.length === 0 || Date.now() > deadline) break
      await Bun.sleep(100)
    }
    const seconds = (Date.now() - startedAt) / 1000
    const [report] = await sql<Omit<FaultReport, 'killsAtWork' | 'longestPauseMs' | 'seconds'>[]>`
      select count(*) filter (where status = 'done')::int as done, count(*) filter (where status <> 'done')::int as "notDone",
        count(*) filter (where status in ('queued', 'running'))::int as unfinished,
        count(*) filter (where coalesce(s.n, 0) <> 1)::int as "notStoredOnce",
        count(*) filter (where coalesce(f.n, 0) <> 1)::int as "notDoneOnce",
        max(attempts)::int as "mostAttempts", sum(attempts)::int as tries
      from scrape_jobs j
      left join (select parcel, count(*) as n from stored group by parcel) s on s.parcel = j.source_parcel_id
      left join (select id, count(*) as n from finished group by id) f using (id)`
    const pauses = await sql<{ ms: number }[]>`
      select (extract(epoch from min(finished_at) - at) * 1000)::float8 as ms
      from unnest(${killedAt}::timestamptz[]) as at join scrape_jobs on finished_at > at group by at`
    if (report === undefined) throw new Error('a report without a row')
    return {
      ...report,
      killsAtWork: pauses.length,
      longestPauseMs: Math.round(Math.max(0, ...pauses.map(({ ms }) => ms))),
      seconds: Math.round(seconds),
    }
  } finally {
    await Promise.all([...children].map(kill))
    await redis?.kill()
    await sql.end({ timeout: 1 })
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
