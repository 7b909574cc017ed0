import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { sampleParcels } from '../../../dev/sample-county/county'
import { encodeFeature } from '../../../dev/sample-county/encode-feature'
import { migrate } from '../../../drizzle/migrate'
import type { ParcelInput } from '../../../drizzle/records'
import { ingestParcels } from '../../../src/ingest/ingest'
import { WIDTH } from '../../../src/ingest/writing/batches'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { processorMs } from '../processor-time'
import { atLeast, atMost, report } from '../report'

/*
 * bun run bench ingest [--parcels 50000] [--rounds 3]
 *
 * Loads a file of the sample county into an empty source, loads it again, and loads it with new values of every parcel: in turns with
 * and without the triggers of the change log, each time in a new database. Prints the median of the rows per second, and of the
 * processor time per row of the database's sessions and of this process. On a machine that does other work, compare processor times.
 *
 * The floor of a first load is a COPY of the same rows into the same table with its indexes, checks and generated columns, but without
 * triggers and foreign keys, on as many connections.
 */
const { values: options } = parseArgs({
  options: { parcels: { type: 'string', default: '50000' }, rounds: { type: 'string', default: '3' } },
})
const PARCELS = Number(options.parcels)
const ROUNDS = Number(options.rounds)
const GOALS = { firstRate: 15_000, changedRatio: 1.15, unchangedRatio: 1.03 }
const STEPS = { first: 'first load', again: 'the same file again', changed: 'every row changed' } as const
type Step = keyof typeof STEPS
type Log = 'on' | 'off'

/** Per load. */
interface Figures {
  rowsPerSecond: number
  databaseUs: number
  clientUs: number
}

const dir = mkdtempSync(join(tmpdir(), 'bench-ingest-'))

const writeRoll = (name: string, change: (parcel: ParcelInput) => ParcelInput = (parcel) => parcel): string => {
  const file = join(dir, name)
  const lines = [...sampleParcels({ parcels: PARCELS })].map((parcel) => encodeFeature(change(parcel)))
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const measureLoad = async (sql: Sql, pids: readonly number[], file: string): Promise<Figures> => {
  const readDatabaseMs = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0)
  const before = { databaseMs: readDatabaseMs(), client: process.cpuUsage(), at: performance.now() }
  const { load } = await ingestParcels(sql, 'elm', { file, map: [], rejectsFile: join(dir, 'rejects.csv') })
  if (load?.status !== 'applied') throw new Error(`the load is ${load?.status}`)
  const seconds = (performance.now() - before.at) / 1000
  const { user, system } = process.cpuUsage(before.client)
  return {
    rowsPerSecond: PARCELS / seconds,
    databaseUs: ((readDatabaseMs() - before.databaseMs) * 1000) / PARCELS,
    clientUs: (user + system) / PARCELS,
  }
}

/** Columns that a COPY can write. */
const COPIED = `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
  where attrelid = 'parcels'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`

/** Loads the file, takes out its rows, and writes them again. */
const measureFloor = async (url: string): Promise<Figures> => {
  const sql = connectDatabase(url, { max: WIDTH, applicationName: 'bench' })
  const connections = await Promise.all(Array.from({ length: WIDTH }, () => sql.reserve()))
  try {
    const [first] = connections as [(typeof connections)[0]]
    await first`insert into sources (source, state, county_name, vendor, base_url)
      values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`
    const loader = connectDatabase(url, { max: WIDTH })
    await ingestParcels(loader, 'elm', { file: files.first, map: [], rejectsFile: join(dir, 'rejects.csv') })
    await loader.end()
    const [copied] = await first.unsafe<{ names: string }[]>(COPIED)
    const parts: string[] = []
    for (let part = 0; part < WIDTH; part++) {
      const rows = `select ${copied?.names} from parcels where mod(abs(hashtext(id::text)), ${WIDTH}) = ${part} order by ingested_at, id`
      const stream = await first.unsafe(`copy (${rows}) to stdout`).readable()
      parts.push(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Uint8Array>)).toString())
    }
    await first`truncate parcels cascade`
    const pids: number[] = []
    for (const connection of connections) {
      await connection`set session_replication_role = replica`
      const [session] = await connection<{ pid: number }[]>`select pg_backend_pid() as pid`
      pids.push(session?.pid ?? 0)
    }
    const readDatabaseMs = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0)
    const before = { databaseMs: readDatabaseMs(), client: process.cpuUsage(), at: performance.now() }
    await Promise.all(
      connections.map(async (connection, part) => {
        const stream = await connection.unsafe(`copy parcels (${copied?.names}) from stdin`).writable()
        await pipeline([parts[part] ?? ''], stream)
      }),
    )
    const seconds = (performance.now() - before.at) / 1000
    const [stored] = await first<{ count: number }[]>`select count(*)::int from parcels`
    if (stored?.count !== PARCELS) throw new Error(`the floor has ${stored?.count} parcels`)
    const { user, system } = process.cpuUsage(before.client)
    return {
      rowsPerSecond: PARCELS / seconds,
      databaseUs: ((readDatabaseMs() - before.databaseMs) * 1000) / PARCELS,
      clientUs: (user + system) / PARCELS,
    }
  } finally {
    for (const connection of connections) connection.release()
    await sql.end()
  }
}

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0

const first = writeRoll('first.geojsonl')
const changed = writeRoll('changed.geojsonl', (parcel) => ({
  ...parcel,
  assessedValue: (parcel.assessedValue ?? 0) + 1_000,
  valueLand: (parcel.valueLand ?? 0) + 1_000,
}))
const files: Record<Step, string> = { first, again: first, changed }
const measured: Record<Step, Record<Log, Figures[]>> = {
  ...{ first: { on: [], off: [] }, again: { on: [], off: [] }, changed: { on: [], off: [] } },
}

/** The three loads in a new database. */
const measureRound = async (url: string, log: Log): Promise<Record<Step, Figures>> => {
  const sql = connectDatabase(url, { max: WIDTH, applicationName: 'bench' })
  try {
    await sql`insert into sources (source, state, county_name, vendor, base_url)
      values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`
    if (log === 'off') {
      for (const event of ['inserted', 'updated', 'deleted']) {
        await sql.unsafe(`alter table parcels disable trigger parcels_logged_${event}`)
      }
    }
    // Opens all connections.
    await Promise.all(Array.from({ length: WIDTH }, () => sql`select pg_sleep(0.1)`))
    const sessions = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = 'bench' and datname = current_database()`
    const pids = sessions.map(({ pid }) => pid)
    return {
      first: await measureLoad(sql, pids, files.first),
      again: await measureLoad(sql, pids, files.again),
      changed: await measureLoad(sql, pids, files.changed),
    }
  } finally {
    await sql.end()
  }
}

const floors: Figures[] = []
const server = await startPostgres(join(dir, 'postgres'))
const urlOf = (database: string) => server.url.replace(/[^/]+$/, database)
try {
  await migrate(server.url)
  const admin = connectDatabase(urlOf('postgres'), { max: 1 })
  // The round before the first only compiles this process's code.
  for (let round = -1; round < ROUNDS; round++) {
    for (const log of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      await admin`create database bench template parcels strategy file_copy`
      const figures = await measureRound(urlOf('bench'), log)
      await admin`drop database bench with (force)`
      if (round < 0) break
      for (const step of Object.keys(STEPS) as Step[]) measured[step][log].push(figures[step])
    }
    if (round < 0) continue
    await admin`create database bench template parcels strategy file_copy`
    floors.push(await measureFloor(urlOf('bench')))
    await admin`drop database bench with (force)`
  }
  await admin.end()
} finally {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}

const floor = {
  rate: Math.round(median(floors.map(({ rowsPerSecond }) => rowsPerSecond))),
  databaseUs: median(floors.map(({ databaseUs }) => databaseUs)),
}
console.log(
  `COPY without triggers: ${floor.rate} rows/s; processor time per row: ${floor.databaseUs.toFixed(1)} µs database`,
)
let isMissed = false
for (const step of Object.keys(STEPS) as Step[]) {
  const of = (log: Log, name: keyof Figures) => median(measured[step][log].map((figures) => figures[name]))
  for (const log of ['on', 'off'] as const) {
    console.log(
      `${STEPS[step]}, log ${log}: ${Math.round(of(log, 'rowsPerSecond'))} rows/s; processor time per row: ${of(log, 'databaseUs').toFixed(1)} µs database, ${of(log, 'clientUs').toFixed(1)} µs client`,
    )
  }
  const totalUs = (log: Log) => of(log, 'databaseUs') + of(log, 'clientUs')
  const ratio = Number((totalUs('on') / totalUs('off')).toFixed(3))
  const rate = Math.round(of('on', 'rowsPerSecond'))
  const goal = atMost(ratio, step === 'again' ? GOALS.unchangedRatio : GOALS.changedRatio)
  const rateGoal = step === 'first' ? atLeast(rate, GOALS.firstRate) : null
  console.log(`  with the log against without, processor time: ${ratio} (goal ${goal.text})`)
  isMissed ||= !goal.met || rateGoal?.met === false
  const rival = step === 'first' ? `COPY without triggers: ${floor.rate} rows/s` : null
  report({
    bench: 'ingest',
    title: `${STEPS[step]}, ${PARCELS} parcels`,
    measured: `${rate} rows/s`,
    goal: rateGoal,
    rival,
  })
  report({ bench: 'ingest', title: `${STEPS[step]}, with the log against without`, measured: `${ratio}`, goal })
}
if (isMissed) console.error('MISSED: see the goals in test/bench/files/ingest.bench.ts')
process.exit(isMissed ? 1 : 0)
