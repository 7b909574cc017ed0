import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { takeUndispatchedJobs } from '../../../drizzle/queries/jobs/dispatch/take-undispatched-jobs'
import { NOBODY } from '../../../drizzle/schema/values'
import { createProgress } from '../../../src/cli/terminal/progress'
import { findFreePort } from '../../../src/operations/embedded/child'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { atMost, report } from '../report'

/*
 * `bun run bench enqueue`: with a million jobs queued, measures POST of 1,000 jobs and the list of jobs, over HTTP and one request at a
 * time, and a round of the dispatcher. The database is made once and kept in .data/bench-jobs. It has the durability settings of
 * production. Client, service and database share the machine.
 */
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { queued: { type: 'string', default: '1000000' }, requests: { type: 'string', default: '200' } },
})
const queued = Number(values.queued)
const requests = Number(values.requests)

const KEY = 'bench-admin-key-0123456789'
const SET = 1_000
const SOURCES = 20
/** Half of the jobs belong to the scheduler, the others to these callers. */
const CALLERS = 50
/** How many jobs of a vendor the dispatcher queues together: two for each that may run. */
const WINDOW = 100

/** Source `full` has half of the jobs, the counties share the rest, `rare` has 50, and `posted` gets the jobs that the bench sends. */
const fill = async (sql: Sql): Promise<void> => {
  const names = ['full', 'rare', 'posted', ...Array.from({ length: SOURCES }, (_, index) => `county-${index}`)]
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    select name, 'OR', name, 'arcgis-rest', 'https://county.example' from unnest(${names}::text[]) name on conflict do nothing`
  await sql`
    insert into vendor_concurrency
      (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
    values ('arcgis-rest', 1, ${WINDOW}, ${WINDOW / 2}, 8000, 2000)
    on conflict (vendor) do update set max_concurrency = excluded.max_concurrency, target_concurrency = excluded.target_concurrency`
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from scrape_jobs where status = 'queued'`
  const missing = queued - (row?.n ?? 0)
  if (missing <= 0) return
  using progress = createProgress('queued jobs', missing)
  for (let done = 0; done < missing; done += 20_000) {
    await sql`
      insert into scrape_jobs (source, source_parcel_id, vendor, ordered_by)
      select case when n % 2 = 0 then 'full' else 'county-' || n % ${SOURCES} end, gen_random_uuid()::text, 'arcgis-rest',
        case when n % 2 = 0 then ${NOBODY} else md5((n % ${2 * CALLERS})::text)::uuid end
      from generate_series(1, ${Math.min(20_000, missing - done)}) n`
    progress.update(done)
  }
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor) select 'rare', n::text, 'arcgis-rest' from generate_series(1, 50) n
    on conflict do nothing`
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status)
    select 'full', n::text, 'arcgis-rest', 'done' from generate_series(1, 50000) n`
  await sql`vacuum analyze`
  progress.finish(`${missing} queued jobs`)
}

const percentile = (sorted: number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)

const dir = resolve('.data/bench-jobs')
mkdirSync(dir, { recursive: true })
const database = await startPostgres(join(dir, 'postgres'), { shared_buffers: '512MB' })
let service: { kill: () => void } | null = null
try {
  await migrate(database.url)
  const sql = connectDatabase(database.url, { max: 2 })
  await fill(sql)
  await sql`delete from scrape_jobs where source = 'posted'`
  const port = await findFreePort()
  const child = Bun.spawn(['bun', 'src/main.ts', 'api'], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      MEILI_URL: 'http://127.0.0.1:9',
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SERVICE_API_KEYS: JSON.stringify({ [KEY]: { capabilities: ['admin'] } }),
    } as Record<string, string>,
  })
  service = child
  for await (const chunk of child.stdout) if (new TextDecoder().decode(chunk).includes('Ready')) break

  const send = async (path: string, body?: unknown) => {
    const started = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-service-key': KEY, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { next?: string | null; count: number }
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return { ms: performance.now() - started, answer }
  }
  const set = (index: number) =>
    Array.from({ length: SET }, (_, item) => ({ source: 'posted', source_parcel_id: `${index}-${item}` }))
  const [middle] = await sql<{ id: string }[]>`
    select id from scrape_jobs where source = 'full' and status = 'queued' order by id offset ${Math.floor(queued / 4)} limit 1`

  /** Takes jobs as the dispatcher does when nothing is dispatched yet, then rolls the round back. */
  const dispatch = async (): Promise<{ ms: number }> => {
    let ms = 0
    const undo = new Error('undo')
    const round = sql.begin(async (transaction) => {
      const startedAt = performance.now()
      const jobs = await takeUndispatchedJobs(transaction, WINDOW)
      ms = performance.now() - startedAt
      if (jobs.length < WINDOW) throw new Error(`${jobs.length} jobs were taken`)
      throw undo
    })
    await round.catch((error) => {
      if (error !== undo) throw error
    })
    return { ms }
  }

  const cases: [label: string, goalMs: number, run: (index: number) => Promise<{ ms: number }>][] = [
    [`POST of ${SET} new jobs`, 60, (index) => send('/v1/scrape-jobs', set(index))],
    [`POST of ${SET} queued jobs`, 60, (index) => send('/v1/scrape-jobs', set(index))],
    ['list, no filter', 20, () => send('/v1/scrape-jobs')],
    ['list, limit=500', 20, () => send('/v1/scrape-jobs?limit=500')],
    ['list, status=queued', 20, () => send('/v1/scrape-jobs?status=queued')],
    ['list, status=error (none)', 20, () => send('/v1/scrape-jobs?status=error')],
    ['list, a full source', 20, () => send('/v1/scrape-jobs?source=full')],
    ['list, a rare source', 20, () => send('/v1/scrape-jobs?source=rare')],
    ['list, source and status', 20, () => send('/v1/scrape-jobs?source=rare&status=queued')],
    ['list, from the middle', 20, () => send(`/v1/scrape-jobs?source=full&limit=500&after=${middle?.id}`)],
    ['one job', 20, () => send(`/v1/scrape-jobs/${middle?.id}`)],
    [`dispatch of ${WINDOW} jobs of ${CALLERS} callers`, 20, dispatch],
  ]
  console.log(`\n${queued} queued jobs, ${requests} requests per case, one at a time\n`)
  console.log('| case | p50 ms | p95 ms | p99 ms | goal, p95 |')
  console.log('|---|---|---|---|---|')
  for (const [label, goalMs, run] of cases) {
    const times: number[] = []
    for (let index = 0; index < requests; index++) times.push((await run(index)).ms)
    times.sort((a, b) => a - b)
    const cells = [label, ...[0.5, 0.95, 0.99].map((share) => percentile(times, share)), `< ${goalMs}`]
    console.log(`| ${cells.join(' | ')} |`)
    const p95 = Number(percentile(times, 0.95))
    report({
      bench: 'enqueue',
      title: `${label}, ${queued} queued, p95`,
      measured: `${p95} ms`,
      goal: atMost(p95, goalMs),
    })
  }
  await sql.end()
} finally {
  service?.kill()
  await database.stop()
}
process.exit(0)
