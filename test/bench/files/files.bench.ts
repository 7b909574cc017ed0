import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../../../core/postgres/database'
import { sampleParcels } from '../../../dev/sample-county/county'
import { encodeFeature } from '../../../dev/sample-county/encode-feature'
import { migrate } from '../../../drizzle/migrate'
import { Coordinates } from '../../../src/ingest/coordinates/coordinates'
import type { Mapping } from '../../../src/ingest/fields/expression'
import { parseFieldMap } from '../../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../../src/ingest/fields/fields'
import { ingestParcels } from '../../../src/ingest/ingest'
import { readRows } from '../../../src/ingest/rows/read-rows'
import type { ReadRow } from '../../../src/ingest/rows/source-row'
import { WIDTH } from '../../../src/ingest/writing/batches'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { atLeast, atMost, report } from '../report'

/*
 * bun run bench files [--parcels 300000]
 *
 * GDAL and zip (Debian: gdal-bin, zip) write the sample county as a zipped shapefile and as a GeoPackage, in State Plane feet. Prints the
 * rows per second and the peak memory of the first load of each, and the greatest distance from ogr2ogr's coordinates.
 */
const { values } = parseArgs({ options: { parcels: { type: 'string', default: '300000' } } })
const PARCELS = Number(values.parcels)
const GOALS = { rate: 12_000, memoryMb: 500, errorM: 0.5 }
const METERS_PER_DEGREE = 111_320
const MEMORY_PAUSE_MS = 200
/** Shapefiles cut the names of columns to ten characters. */
const MAP = parseFieldMap(
  `source_parcel_id=source_par, owner_mailing_address=owner_mail, situs_address=situs_addr, situs_state=situs_stat,
   land_use_class=land_use_c, zoning_code=zoning_cod, zoning_description=zoning_des, is_agricultural=is_agricul,
   assessed_value=assessed_v, value_improvement=value_impr`.replaceAll(/\n\s*/g, ' '),
  PARCEL_FIELDS,
)

const dir = mkdtempSync(join(tmpdir(), 'bench-files-'))

const run = async (...command: string[]): Promise<void> => {
  const child = Bun.spawn(command, { cwd: dir, stdout: 'ignore', stderr: 'ignore' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
}

/** The same parcels in each format, with the map of its columns. */
const writeFiles = async (): Promise<{ title: string; file: string; map: Mapping[] }[]> => {
  const writer = Bun.file(join(dir, 'lots.geojsonl')).writer()
  for (const parcel of sampleParcels({ parcels: PARCELS })) writer.write(`${encodeFeature(parcel)}\n`)
  await writer.end()
  await run('ogr2ogr', '-f', 'ESRI Shapefile', '-t_srs', 'EPSG:2269', 'lots.shp', 'lots.geojsonl')
  await run('zip', '-q', 'lots.zip', 'lots.shp', 'lots.dbf', 'lots.shx', 'lots.prj')
  await run('ogr2ogr', '-f', 'GPKG', '-t_srs', 'EPSG:2269', 'lots.gpkg', 'lots.geojsonl')
  const lonLat = ['-t_srs', 'EPSG:4326', '-lco', 'COORDINATE_PRECISION=12']
  await run('ogr2ogr', '-f', 'GeoJSONSeq', 'expected.geojsonl', 'lots.shp', ...lonLat)
  return [
    { title: 'zipped shapefile', file: join(dir, 'lots.zip'), map: MAP },
    { title: 'GeoPackage', file: join(dir, 'lots.gpkg'), map: [] },
  ]
}

/** Rows per second, and megabytes at most. */
const measureLoad = async (file: string, map: Mapping[], url: string): Promise<{ rate: number; memoryMb: number }> => {
  const sql = connectDatabase(url, { max: WIDTH, applicationName: 'bench' })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, MEMORY_PAUSE_MS)
  try {
    await sql`insert into sources (source, state, county_name, vendor, base_url)
      values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`
    const { load, read, durationMs } = await ingestParcels(sql, 'elm', {
      file,
      map,
      rejectsFile: join(dir, 'rejects.csv'),
    })
    if (load?.status !== 'applied' || read !== PARCELS)
      throw new Error(`${read} rows read, the load is ${load?.status}`)
    return { rate: Math.round((read / durationMs) * 1000), memoryMb: Math.round(peak / 1e6) }
  } finally {
    clearInterval(watch)
    await sql.end()
  }
}

const listPositions = (list: unknown, positions: number[][] = []): number[][] => {
  if (!Array.isArray(list)) return positions
  if (typeof list[0] === 'number') positions.push(list)
  else for (const item of list) listPositions(item, positions)
  return positions
}

async function* eachBoundary(file: string): AsyncGenerator<number[][]> {
  const coordinates = new Coordinates(null)
  const read = (row: ReadRow) => {
    if ('reason' in row) throw new Error(row.reason)
    const geometry = coordinates.toLonLat(row.geometry) as { coordinates?: unknown } | null
    return listPositions(geometry?.coordinates)
  }
  for await (const rows of readRows(file, { coordinates })) for (const row of rows) yield read(row)
}

/** Rings may begin at another position or be reversed, so each position is compared with the closest one. */
const measureError = async (file: string): Promise<number> => {
  let greatest = 0
  const own = eachBoundary(file)
  for await (const expected of eachBoundary(join(dir, 'expected.geojsonl'))) {
    const { value } = await own.next()
    for (const [lon = 0, lat = 0] of expected) {
      const distances = (value ?? []).map(([x = 0, y = 0]) =>
        Math.hypot((lon - x) * Math.cos((lat * Math.PI) / 180), lat - y),
      )
      greatest = Math.max(greatest, Math.min(...distances) * METERS_PER_DEGREE)
    }
  }
  return greatest
}

const server = await startPostgres(join(dir, 'postgres'))
const urlOf = (database: string) => server.url.replace(/[^/]+$/, database)
try {
  await migrate(server.url)
  const admin = connectDatabase(urlOf('postgres'), { max: 1 })
  for (const { title, file, map } of await writeFiles()) {
    await admin`create database bench template parcels strategy file_copy`
    const { rate, memoryMb } = await measureLoad(file, map, urlOf('bench'))
    await admin`drop database bench with (force)`
    const errorM = await measureError(file)
    const figures = [
      { what: 'first load', measured: `${rate} rows/s`, goal: atLeast(rate, GOALS.rate) },
      { what: 'memory', measured: `${memoryMb} MB`, goal: atMost(memoryMb, GOALS.memoryMb) },
      {
        what: "distance from ogr2ogr's coordinates",
        measured: `${errorM.toExponential(1)} m`,
        goal: atMost(errorM, GOALS.errorM),
      },
    ]
    for (const { what, measured, goal } of figures) {
      console.log(`${title}, ${what}: ${measured} (goal ${goal.text})`)
      report({ bench: 'files', title: `${title}, ${PARCELS} parcels: ${what}`, measured, goal })
      if (!goal.met) process.exitCode = 1
    }
  }
  await admin.end()
} finally {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}
