import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { findPublishedTiles } from '../../../drizzle/queries/tiles/published-tiles'
import { createProgress } from '../../../src/cli/terminal/progress'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { processorMsOfFamily } from '../processor-time'
import { atMost, type Figure, report } from '../report'

/*
 * `bun run bench tiles`: runs `bun run tiles:build` on sample counties of several sizes, zoom 10 to 15, each in a new process. The time
 * includes reading from PostgreSQL, verifying and publishing. Memory is that of the build with all its threads, without PostgreSQL; CPU is
 * that of both. The databases are made once and kept in .data/bench. Exits with code 1 when a goal is missed.
 *
 * `--incremental` compares updates (`--update`) with full builds instead: after 1% of the parcels got another owner, all in one place or
 * spread over the county. It checks that both have the same bytes.
 */
const GOALS = { parcels: 500_000, seconds: 7, peakMb: 400 }
/** How much the time and the CPU time per parcel may grow from the smallest county to the largest. */
const GROWTH = { from: 100_000, to: 1_000_000, most: 1.15 }
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '100000,500000,1000000' },
    rounds: { type: 'string', default: '3' },
    incremental: { type: 'boolean', default: false },
  },
})
const sizes = values.parcels.split(',').map(Number)
const dir = resolve('.data/bench/tiles')

/** Only the build reads these tables, so search indexes are dropped and triggers disabled to save time. */
const openDatabase = async (admin: Sql, serverUrl: string, parcels: number): Promise<string> => {
  const name = `tiles_${parcels}`
  const urlOf = (database: string) => serverUrl.replace(/[^/]+$/, database)
  const [known] = await admin`select from pg_database where datname = ${name}`
  if (known !== undefined) return urlOf(name)
  const unfinished = `${name}_unfinished`
  await admin`drop database if exists ${admin(unfinished)}`
  await admin`create database ${admin(unfinished)}`
  await migrate(urlOf(unfinished))
  const sql = connectDatabase(urlOf(unfinished), { max: 2 })
  await sql`drop index parcels_owner_name_trgm, parcels_situs_address_trgm`
  await sql`alter table parcels disable trigger user`
  using progress = createProgress(`${parcels} sample parcels`, parcels)
  await seedSampleCounty(sql, { parcels, entities: 0, onProgress: progress.update })
  await sql`vacuum analyze parcels`
  await sql.end()
  await admin`alter database ${admin(unfinished)} rename to ${admin(name)}`
  progress.finish(`${parcels} sample parcels loaded`)
  return urlOf(name)
}

interface Measure {
  seconds: number
  /** Of the build and of PostgreSQL. */
  cpuSeconds: number
  peakMb: number
  tiles: number
}

const build = async (databaseUrl: string, dataDir: string, ...args: string[]): Promise<Measure> => {
  const [startedAt, databaseMs] = [performance.now(), processorMsOfFamily(server.pid)]
  const run = Bun.spawn(['bun', 'src/cli/tiles-build.ts', ...args], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      MEILI_URL: 'http://127.0.0.1:1',
      DATA_DIR: dataDir,
      TILES_URL: '',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = await new Response(run.stderr).text()
  if ((await run.exited) !== 0) throw new Error(said)
  const seconds = (performance.now() - startedAt) / 1000
  const usage = run.resourceUsage()
  return {
    seconds,
    cpuSeconds: Number(usage?.cpuTime.total ?? 0n) / 1e6 + (processorMsOfFamily(server.pid) - databaseMs) / 1000,
    peakMb: (usage?.maxRSS ?? 0) / 1e6,
    tiles: Number(/([\d,]+) tiles,/.exec(said.split('\n').at(-2) ?? '')?.[1]?.replaceAll(',', '') ?? 0),
  }
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** The largest share of a full build's time and CPU time that an update may take after 1% of the parcels in one place changed. */
const MAX_UPDATE_SHARE = 0.1
const CHANGED_SHARE = 0.01

/** Which parcels change: those nearest to the middle of the county, or every hundredth. */
const CHANGES = {
  'in one place': (sql: Sql, n: number) => sql`select id from parcels where bbox is not null
    order by center(bbox) <-> (select center(bbox) from parcels where bbox is not null order by id limit 1), id limit ${n}`,
  'spread over the county': (sql: Sql, n: number) => sql`
    select id from (select id, row_number() over (order by id) as n from parcels where bbox is not null) numbered
    where n % ${Math.round(1 / CHANGED_SHARE)} = 0 limit ${n}`,
} as const

const compareUpdates = async (parcels: number, url: string, rounds: number): Promise<void> => {
  const dataDir = join(dir, `updated-${parcels}`)
  const sql = connectDatabase(url, { max: 1 })
  await sql`alter table parcels enable trigger user`
  console.log('\n| changed | full s | update s | share | full CPU s | update CPU s | share |')
  console.log('|---|---|---|---|---|---|---|')
  for (const [where, choose] of Object.entries(CHANGES)) {
    const measures: { full: Measure; update: Measure }[] = []
    for (let round = 0; round < rounds; round++) {
      await sql`delete from tile_builds`
      rmSync(dataDir, { recursive: true, force: true })
      await build(url, dataDir)
      const n = Math.round(parcels * CHANGED_SHARE)
      await sql`
        update parcels set owner_name = 'OWNER ' || left(md5(id::text || clock_timestamp()), 10) where id in (${choose(sql, n)})`
      const update = await build(url, dataDir, '--update')
      const updated = await findPublishedTiles(sql, 'parcels')
      await sql`delete from tile_builds`
      const full = await build(url, dataDir)
      const built = await findPublishedTiles(sql, 'parcels')
      if (updated?.hash !== built?.hash) throw new Error('an update has other bytes than a full build')
      measures.push({ full, update })
    }
    const column = (kind: 'full' | 'update', name: keyof Measure) => median(measures.map((round) => round[kind][name]))
    const cells = (['seconds', 'cpuSeconds'] as const).map((name) => {
      const [full, update] = [column('full', name), column('update', name)]
      return { full, update, share: update / full }
    })
    console.log(
      `| ${where} | ${cells.map(({ full, update, share }) => `${full.toFixed(2)} | ${update.toFixed(2)} | ${share.toFixed(3)}`).join(' | ')} |`,
    )
    for (const [index, name] of ['time', 'CPU time'].entries()) {
      const { full, update, share } = cells[index] as (typeof cells)[number]
      const goal = where === 'in one place' ? atMost(Number(share.toFixed(3)), MAX_UPDATE_SHARE) : null
      report({
        bench: 'tiles',
        title: `${name} of an update after 1% of ${parcels} parcels changed, ${where}`,
        measured: `${update.toFixed(2)} s, ${share.toFixed(3)} of a full build (${full.toFixed(2)} s)`,
        goal,
      })
      if (goal?.met === false) process.exitCode = 1
    }
  }
  await sql`alter table parcels disable trigger user`
  await sql.end()
  rmSync(dataDir, { recursive: true, force: true })
}

mkdirSync(dir, { recursive: true })
const server = await startPostgres(dir, { synchronous_commit: 'off', fsync: 'off' })
const admin = connectDatabase(server.url, { max: 1 })
try {
  const costs = new Map<number, { seconds: number; cpuSeconds: number }>()
  const figures: Omit<Figure, 'bench'>[] = []
  const databases: [parcels: number, url: string][] = []
  for (const parcels of sizes) databases.push([parcels, await openDatabase(admin, server.url, parcels)])
  if (values.incremental) {
    for (const [parcels, url] of databases.splice(0)) await compareUpdates(parcels, url, Number(values.rounds))
  }
  console.log('\n| parcels | s | parcels/s | tiles | tiles/s | CPU s | CPU µs per parcel | peak MB | archive MB |')
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const [parcels, url] of databases) {
    const dataDir = join(dir, `built-${parcels}`)
    const sql = connectDatabase(url, { max: 1 })
    const rounds: Measure[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      // Each round publishes again, because storing the archive is part of the work.
      await sql`delete from tile_builds`
      rmSync(dataDir, { recursive: true, force: true })
      rounds.push(await build(url, dataDir))
    }
    const sizeBytes = (await findPublishedTiles(sql, 'parcels'))?.size_bytes ?? 0
    await sql.end()
    rmSync(dataDir, { recursive: true, force: true })
    const column = (name: keyof Measure) => median(rounds.map((round) => round[name]))
    const [seconds, cpuSeconds] = [column('seconds'), column('cpuSeconds')]
    const peakMb = Math.max(...rounds.map((round) => round.peakMb))
    costs.set(parcels, { seconds: seconds / parcels, cpuSeconds: cpuSeconds / parcels })
    const cells = [
      parcels,
      seconds.toFixed(1),
      (parcels / seconds).toFixed(0),
      column('tiles'),
      (column('tiles') / seconds).toFixed(0),
      cpuSeconds.toFixed(1),
      ((1e6 * cpuSeconds) / parcels).toFixed(1),
      peakMb.toFixed(0),
      (sizeBytes / 1e6).toFixed(1),
    ]
    console.log(`| ${cells.join(' | ')} |`)
    const isJudged = parcels === GOALS.parcels
    const title = `build of ${parcels} parcels, zoom 10 to 15`
    figures.push(
      {
        title,
        measured: `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${(parcels / seconds).toFixed(0)} parcels/s, archive of ${(sizeBytes / 1e6).toFixed(1)} MB`,
        goal: isJudged ? atMost(Number(seconds.toFixed(1)), GOALS.seconds) : null,
      },
      {
        title: `${title}: peak memory`,
        measured: `${peakMb.toFixed(0)} MB`,
        goal: isJudged ? atMost(Math.round(peakMb), GOALS.peakMb) : null,
      },
    )
  }
  const [small, large] = [costs.get(GROWTH.from), costs.get(GROWTH.to)]
  if (small !== undefined && large !== undefined) {
    for (const kind of ['seconds', 'cpuSeconds'] as const) {
      const growth = (large[kind] / small[kind]).toFixed(2)
      figures.push({
        title: `${kind === 'seconds' ? 'time' : 'CPU'} per parcel at ${GROWTH.to}, against ${GROWTH.from}`,
        measured: `${growth} times`,
        goal: atMost(Number(growth), GROWTH.most),
      })
    }
  }
  console.log('')
  for (const figure of figures) {
    report({ bench: 'tiles', ...figure })
    const { title, measured, goal } = figure
    if (goal != null) console.log(`${title}: ${measured} (${goal.text})${goal.met ? '' : ' MISSED'}`)
    if (goal?.met === false) process.exitCode = 1
  }
} finally {
  await admin.end()
  await server.stop()
}
