import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { listSourceHealth } from '../../../drizzle/queries/sources/source-health'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { runTuner } from '../../../src/scrape/run-tuner'
import { atMost, report } from '../report'

/*
 * `bun run bench health`: times source health and a tuner cycle on a thousand sources, a million parcels and a million jobs, with
 * counter rows of many server processes. Then it measures what the counters cost writers, with and without the triggers in turns.
 */
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    sources: { type: 'string', default: '1000' },
    parcels: { type: 'string', default: '1000000' },
    jobs: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '200' },
  },
})
const [sources, parcels, jobs, rounds] = [values.sources, values.parcels, values.jobs, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const CONNECTIONS = 8
const SET = 1_000

const percentile = (times: number[], share: number): string =>
  (times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1)

/** Goal for the p95 of source health. */
const MAX_MS = 50
let isMissed = false

/** Times `run`. If `mostMs` is given, the p95 must not exceed it. */
const measure = async (
  label: string,
  times: number,
  run: () => Promise<unknown>,
  mostMs: number | null = null,
): Promise<void> => {
  for (let warm = 0; warm < 3; warm++) await run()
  const taken: number[] = []
  for (let round = 0; round < times; round++) {
    const startedAt = performance.now()
    await run()
    taken.push(performance.now() - startedAt)
  }
  console.log(`| ${label} | ${percentile(taken, 0.5)} | ${percentile(taken, 0.95)} | ${percentile(taken, 1)} |`)
  const p95 = Number(percentile(taken, 0.95))
  isMissed ||= mostMs !== null && p95 > mostMs
  report({
    bench: 'health',
    title: `${label}, ${jobs} jobs, p95`,
    measured: `${p95} ms`,
    goal: mostMs === null ? null : atMost(p95, mostMs),
  })
}

/** The share of its rows that changes before autovacuum vacuums `scrape_jobs` (migration 0035). */
const UNVACUUMED_SHARE = 0.01

/**
 * Gives every job `status`, or a mix: a tenth queued, a few running, a twentieth of the ended ones errors. Jobs ended within `days`, in the order
 * in which they were ordered. The last ones changed after the last vacuum, as many as autovacuum leaves.
 */
const insertJobs = async (sql: Sql, status: string | null, days = 10): Promise<void> => {
  await sql`truncate scrape_jobs`
  const part = Math.ceil(jobs / CONNECTIONS)
  await Promise.all(
    Array.from(
      { length: CONNECTIONS },
      (_, connection) => sql`
      insert into scrape_jobs (source, source_parcel_id, vendor, status, finished_at)
      select 's' || n % ${sources}, n::text, 'arcgis-rest', status::job_status,
        case when status in ('done', 'error') then now() - (1 - n / ${jobs}::float) * ${days} * interval '1 day' end
      from (
        select n, coalesce(${status}, case when n % 10 = 0 then 'queued' when n % 9999 = 0 then 'running'
          when n % 20 = 1 then 'error' else 'done' end) as status
        from generate_series(${connection * part}::int, ${Math.min(jobs, (connection + 1) * part) - 1}::int) n
      ) drawn`,
    ),
  )
  // A vacuum does not count rows as visible to all whose commit has not been flushed, which `synchronous_commit: 'off'` delays.
  await sql`checkpoint`
  await sql`vacuum analyze scrape_jobs`
  await sql`update scrape_jobs set updated_at = now() where source_parcel_id::int >= ${jobs * (1 - UNVACUUMED_SHARE)}`
}

const triggers = async (sql: Sql, state: 'enable' | 'disable'): Promise<void> => {
  for (const [table, names] of [
    ['parcels', ['inserted', 'deleted', 'updated']],
    ['scrape_jobs', ['inserted', 'updated', 'deleted']],
  ] as const) {
    for (const name of names) await sql.unsafe(`alter table ${table} ${state} trigger ${table}_tally_${name}`)
  }
}

const perSecond = async (count: number, run: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await run()
  return count / ((performance.now() - startedAt) / 1000)
}

/** Claims and ends jobs one by one, with one worker per connection. */
const runJobs = (sql: Sql, ids: string[]) =>
  Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, worker) => {
      for (let next = worker; next < ids.length; next += CONNECTIONS) {
        const id = ids[next] ?? ''
        await sql`update scrape_jobs set status = 'running', started_at = now(), attempts = attempts + 1 where id = ${id}`
        await sql`update scrape_jobs set status = 'done', finished_at = now(), duration_ms = 1 where id = ${id}`
      }
    }),
  )

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const dir = mkdtempSync(join(tmpdir(), 'bench-health-'))
const server = await startPostgres(dir, { shared_buffers: '1GB', synchronous_commit: 'off' })
try {
  await migrate(server.url)
  const sql = connectDatabase(server.url, { max: CONNECTIONS })
  await sql`insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
    select case n when 0 then 'arcgis-rest' else 'vendor-' || n end, 1, 64, 8, 8000, 2000 from generate_series(0, 23) n`
  await sql`insert into sources (source, state, county_name, vendor, base_url)
    select 's' || n, 'OR', 'County ' || n, case n % 24 when 0 then 'arcgis-rest' else 'vendor-' || n % 24 end, 'https://county.example'
    from generate_series(0, ${sources - 1}::int) n`
  await sql`insert into source_refresh_policies (source, next_due_at) select source, now() from sources`
  // Only the number of parcels matters here, so keep them out of the search outbox.
  await sql`alter table parcels disable trigger parcels_inserted`
  const part = Math.ceil(parcels / CONNECTIONS)
  await Promise.all(
    Array.from(
      { length: CONNECTIONS },
      (_, connection) => sql`
      insert into parcels (source, source_parcel_id) select 's' || n % ${sources}, n::text
      from generate_series(${connection * part}::int, ${Math.min(parcels, (connection + 1) * part) - 1}::int) n`,
    ),
  )
  await sql`alter table parcels enable trigger parcels_inserted`
  await sql`insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
    select uuidv7(), 1, case n % 24 when 0 then 'arcgis-rest' else 'vendor-' || n % 24 end, 'done', 500 + random() * 500,
      now() - random() * interval '10 minutes' from generate_series(1, 120000) n`
  await sql`vacuum analyze`

  console.log(
    `\n${sources} sources, ${parcels} parcels, ${jobs} jobs; counter rows of ${CONNECTIONS} server processes\n`,
  )
  console.log('| question | p50 ms | p95 ms | most ms |\n|---|---|---|---|')
  const health = () => listSourceHealth(sql, { after: null, limit: null })
  for (const [label, status, days] of [
    ['source health, mixed jobs', null, 10],
    ['source health, all jobs queued', 'queued', 10],
    ['source health, all jobs errors within ten days', 'error', 10],
    ['source health, all jobs errors within one day', 'error', 1],
  ] as const) {
    await insertJobs(sql, status, days)
    await measure(label, rounds, health, MAX_MS)
  }
  await insertJobs(sql, null)
  await measure('tuner cycle, 120,000 attempts in the window', 20, () => sql.begin((tx) => runTuner(tx)))

  const rates: Record<'jobs' | 'parcels', { off: number[]; on: number[] }> = {
    jobs: { off: [], on: [] },
    parcels: { off: [], on: [] },
  }
  const queued = (
    await sql<{ id: string }[]>`select id from scrape_jobs where status = 'queued' limit ${6 * 3_000}`
  ).map(({ id }) => id)
  for (let round = 0; round < 6; round++) {
    const state = round % 2 === 0 ? 'off' : 'on'
    await triggers(sql, state === 'on' ? 'enable' : 'disable')
    const ids = queued.slice(round * 3_000, (round + 1) * 3_000)
    rates.jobs[state].push(await perSecond(ids.length, () => runJobs(sql, ids)))
    rates.parcels[state].push(
      await perSecond(20 * SET, async () => {
        for (let set = 0; set < 20; set++) {
          const rows = Array.from({ length: SET }, (_, row) => ({
            sourceParcelId: `r${round}-${set}-${row}`,
            ownerName: `OWNER ${row}`,
            situsAddress: `${row} ALDER ST`,
          }))
          await upsertParcels(sql, 's1', rows as Parameters<typeof upsertParcels>[2])
        }
      }),
    )
  }
  console.log('\n| writers | per second without | with | ratio |\n|---|---|---|---|')
  for (const [name, { off, on }] of Object.entries(rates)) {
    const [without, with_] = [median(off), median(on)]
    console.log(`| ${name} | ${without.toFixed(0)} | ${with_.toFixed(0)} | ${(with_ / without).toFixed(2)} |`)
    report({
      bench: 'health',
      title: `${name} written with counters, against without`,
      measured: `${with_.toFixed(0)}/s (${(with_ / without).toFixed(2)})`,
      rival: `${without.toFixed(0)}/s`,
    })
  }
  await sql.end()
} finally {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}
if (isMissed) console.error(`MISSED: source health takes longer than ${MAX_MS} ms`)
process.exit(isMissed ? 1 : 0)
