import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { parcelFields } from '../../../core/parcels/fields'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { createProgress } from '../../../src/cli/terminal/progress'
import { FORMAT_NAMES, type FormatName } from '../../../src/exports/formats'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { atLeast, atMost, report } from '../report'

/*
 * bun run bench exports [--parcels 50000] [--rounds 3] [--formats ndjson,geoparquet]
 *
 * Exports the sample county with all fields and boundaries to a file in each format, each time with `bun run export` in a new process. The
 * floor is a COPY of the same columns to a file, in the same run: on a machine that does other work, compare with that. Times are without
 * the start of the process; memory is that of the process, without PostgreSQL. The database is kept in .data/bench. Exits with code 1 when
 * a goal is missed.
 */
const { values: options } = parseArgs({
  options: {
    parcels: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    formats: { type: 'string', default: FORMAT_NAMES.join(',') },
  },
})
const PARCELS = Number(options.parcels)
const ROUNDS = Number(options.rounds)
const RATES: Partial<Record<FormatName, number>> = { ndjson: 50_000, geoparquet: 20_000 }
const PEAK_MB = 200

const dir = resolve('.data/bench/exports')
mkdirSync(dir, { recursive: true })
const server = await startPostgres(dir, { synchronous_commit: 'off', fsync: 'off' })
const admin = connectDatabase(server.url, { max: 1 })

/** Only the export reads the table, so triggers and search indexes are left out to save time. */
const openDatabase = async (): Promise<string> => {
  const name = `exports_${PARCELS}`
  const url = server.url.replace(/[^/]+$/, name)
  const [known] = await admin`select from pg_database where datname = ${name}`
  if (known !== undefined) return url
  const unfinished = `${name}_unfinished`
  await admin`drop database if exists ${admin(unfinished)}`
  await admin`create database ${admin(unfinished)}`
  const unfinishedUrl = server.url.replace(/[^/]+$/, unfinished)
  await migrate(unfinishedUrl)
  const sql = connectDatabase(unfinishedUrl, { max: 2 })
  await sql`drop index parcels_owner_name_trgm, parcels_situs_address_trgm`
  await sql`alter table parcels disable trigger user`
  using progress = createProgress('sample parcels', PARCELS)
  await seedSampleCounty(sql, { parcels: PARCELS, entities: 0, onProgress: progress.update })
  await sql`vacuum analyze parcels`
  await sql.end()
  await admin`alter database ${admin(unfinished)} rename to ${admin(name)}`
  progress.finish(`${PARCELS} sample parcels loaded`)
  return url
}

const COLUMNS = [
  'id',
  'source',
  'source_parcel_id',
  ...parcelFields.map(({ name }) => name),
  'scraped_at',
  'ingested_at',
]
  .concat('updated_at', 'retired_at', 'geom')
  .join(', ')

/** Parcels per second. */
const measureCopy = async (sql: Sql, file: string): Promise<number> => {
  const startedAt = performance.now()
  const rows = await sql
    .unsafe(`copy (select ${COLUMNS} from parcels order by source, source_parcel_id) to stdout`)
    .readable()
  await pipeline(rows, createWriteStream(file))
  return PARCELS / ((performance.now() - startedAt) / 1000)
}

const measureExport = async (databaseUrl: string, format: FormatName, file: string) => {
  const run = Bun.spawn(['bun', 'src/cli/export.ts', '--format', format, file], {
    env: { ...process.env, DATABASE_URL: databaseUrl, MEILI_URL: 'http://127.0.0.1:1', DATA_DIR: join(dir, 'data') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = await new Response(run.stderr).text()
  if ((await run.exited) !== 0) throw new Error(said)
  const usage = run.resourceUsage()
  return {
    rate: Number(/, ([\d,]+)\/s\s*$/.exec(said)?.[1]?.replaceAll(',', '') ?? Number.NaN),
    cpuUs: Number(usage?.cpuTime.total ?? 0n) / PARCELS,
    peakMb: (usage?.maxRSS ?? 0) / 1e6,
    sizeMb: Bun.file(file).size / 1e6,
  }
}

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0

try {
  const url = await openDatabase()
  const sql = connectDatabase(url, { max: 1 })
  const file = join(dir, 'file')
  console.log(`${PARCELS} parcels, median of ${ROUNDS} rounds\n`)
  console.log('| format | parcels/s | of COPY | CPU µs per parcel | peak MB | file MB |')
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const format of options.formats.split(',') as FormatName[]) {
    const rounds: (Awaited<ReturnType<typeof measureExport>> & { floor: number })[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const floor = await measureCopy(sql, file)
      rounds.push({ ...(await measureExport(url, format, file)), floor })
    }
    const rate = median(rounds.map((round) => round.rate))
    const share = median(rounds.map((round) => round.rate / round.floor))
    const peakMb = Math.max(...rounds.map((round) => round.peakMb))
    const [cpuUs, sizeMb] = [median(rounds.map((round) => round.cpuUs)), rounds[0]?.sizeMb ?? 0]
    const cells = [format, rate.toFixed(0), share.toFixed(2), cpuUs.toFixed(0), peakMb.toFixed(0), sizeMb.toFixed(1)]
    console.log(`| ${cells.join(' | ')} |`)
    const least = RATES[format]
    const goals = [
      {
        title: `${format}, ${PARCELS} parcels`,
        measured: `${rate.toFixed(0)} parcels/s`,
        goal: least === undefined ? null : atLeast(rate, least),
      },
      {
        title: `${format}: peak memory`,
        measured: `${peakMb.toFixed(0)} MB`,
        goal: atMost(Math.round(peakMb), PEAK_MB),
      },
    ]
    for (const figure of goals) {
      const rival = `COPY: ${median(rounds.map((round) => round.floor)).toFixed(0)} parcels/s`
      report({ bench: 'exports', rival, ...figure })
      if (figure.goal?.met === false) {
        console.error(`${figure.title}: ${figure.measured} (${figure.goal.text}) MISSED`)
        process.exitCode = 1
      }
    }
  }
  await sql.end()
} finally {
  rmSync(join(dir, 'file'), { force: true })
  rmSync(join(dir, 'file.origin.json'), { force: true })
  await admin.end()
  await server.stop()
}
