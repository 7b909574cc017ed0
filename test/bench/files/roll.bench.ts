import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ACCOUNT_FIELD_NAMES } from '../../../core/parcels/accounts'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { sampleParcels } from '../../../dev/sample-county/county'
import { migrate } from '../../../drizzle/migrate'
import { insertParcels } from '../../../drizzle/queries/parcels/insert-parcels'
import { ingestRoll } from '../../../src/ingest/roll/ingest-roll'
import { WIDTH } from '../../../src/ingest/writing/batches'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { processorMs } from '../processor-time'
import { atLeast, report } from '../report'

/*
 * bun run bench roll [--parcels 30000]
 *
 * Loads an assessor's roll for the parcels of the sample county: one account for each parcel, and 30 for every twentieth. Loads it
 * again, and loads it with another value in every row. Prints rows per second and the processor time per row of the database's sessions
 * and of this process.
 */
const { values: options } = parseArgs({ options: { parcels: { type: 'string', default: '30000' } } })
const PARCELS = Number(options.parcels)
const GOAL = 15_000
const UNITS = { every: 20, count: 30 }
const BATCH_PARCELS = 1_000

const dir = mkdtempSync(join(tmpdir(), 'bench-roll-'))

/** Returns how many rows the file has. */
const writeRoll = (file: string, more: number): number => {
  const lines = [['source_parcel_id', ...ACCOUNT_FIELD_NAMES].join(',')]
  const parcels = [...sampleParcels({ parcels: PARCELS })]
  for (const [index, parcel] of parcels.entries()) {
    const units = index % UNITS.every === 0 ? UNITS.count : 1
    for (let unit = 1; unit <= units; unit++) {
      const owner = parcels[(index + unit - 1) % PARCELS] ?? parcel
      const value = (parcel.assessedValue ?? 0) + more
      lines.push(
        [
          ...[parcel.sourceParcelId, `R${index}-${unit}`, units === 1 ? '' : `${unit}`, owner.ownerName],
          ...[owner.ownerMailingAddress, parcel.situsAddress, parcel.landUseClass, value],
          ...[parcel.valueLand, parcel.valueImprovement],
        ]
          .map((cell) => `"${`${cell ?? ''}`.replaceAll('"', '""')}"`)
          .join(','),
      )
    }
  }
  writeFileSync(file, `${lines.join('\n')}\n`)
  return lines.length - 1
}

const plantParcels = async (sql: Sql): Promise<void> => {
  const parcels = [...sampleParcels({ parcels: PARCELS })]
  for (let start = 0; start < PARCELS; start += BATCH_PARCELS) {
    await insertParcels(sql, 'elm', parcels.slice(start, start + BATCH_PARCELS), { cause: 'ingest', id: null })
  }
  await sql`vacuum analyze parcels`
}

const measureLoad = async (sql: Sql, pids: readonly number[], file: string) => {
  const readDatabaseMs = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0)
  const before = { databaseMs: readDatabaseMs(), client: process.cpuUsage() }
  const { read, durationMs, load, updated, accounts } = await ingestRoll(sql, 'elm', {
    ...{ file, map: [], rejectsFile: join(dir, 'rejects.csv'), parcelsWithoutRowFile: join(dir, 'missing.csv') },
  })
  if (load?.status !== 'applied' || accounts !== read) throw new Error(`the load is ${load?.status}`)
  const { user, system } = process.cpuUsage(before.client)
  return {
    rate: Math.round((read / durationMs) * 1000),
    databaseUs: ((readDatabaseMs() - before.databaseMs) * 1000) / read,
    clientUs: (user + system) / read,
    updated,
  }
}

const files = { first: join(dir, 'first.csv'), changed: join(dir, 'changed.csv') }
const rows = writeRoll(files.first, 0)
writeRoll(files.changed, 1_000)
const server = await startPostgres(join(dir, 'postgres'))
try {
  await migrate(server.url)
  const sql = connectDatabase(server.url, { max: WIDTH, applicationName: 'bench' })
  await sql`insert into sources (source, state, county_name, vendor, base_url)
    values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`
  await plantParcels(sql)
  await Promise.all(Array.from({ length: WIDTH }, () => sql`select pg_sleep(0.1)`))
  const sessions = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'bench' and datname = current_database()`
  const pids = sessions.map(({ pid }) => pid)
  for (const [title, file] of [
    ['first roll', files.first],
    ['the same roll again', files.first],
    ['every row changed', files.changed],
  ] as const) {
    const { rate, databaseUs, clientUs, updated } = await measureLoad(sql, pids, file)
    const goal = title === 'every row changed' ? null : atLeast(rate, GOAL)
    console.log(
      `${title}: ${rate} rows/s${goal === null ? '' : ` (goal ${goal.text})`}, ${updated} of ${PARCELS} parcels changed; processor time per row: ${databaseUs.toFixed(1)} µs database, ${clientUs.toFixed(1)} µs client`,
    )
    report({ bench: 'roll', title: `${title}, ${rows} rows`, measured: `${rate} rows/s`, goal })
    if (goal?.met === false) process.exitCode = 1
  }
  await sql.end()
} finally {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}
