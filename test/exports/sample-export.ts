import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import type { Sql } from '../../core/postgres/database'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { columnsOf, DEFAULT_FIELDS, type ExportField } from '../../src/exports/export-columns'
import type { ExportOrigin } from '../../src/exports/export-format'
import { FORMATS, type FormatName } from '../../src/exports/formats'
import { listParcelPages } from '../../src/parcels/list-parcel-pages'
import type { RowGeometry } from '../../src/parcels/list-parcels'

export const ORIGIN: ExportOrigin = {
  dataset_version: 42,
  licenses: [{ license: 'CC-BY-4.0', attribution: 'Larkspur County', sources: ['sample-county'] }],
}

/** Sample parcels. One has neither boundary nor point, one has only a point, one has two parts and a hole, and one has texts that formats must quote. */
export const seedParcels = async (sql: Sql, parcels: number): Promise<void> => {
  await seedSampleCounty(sql, { parcels, entities: 0 })
  const odd = 'O"BRIEN, Ñandú; <b>&\u2028 \u{1F3E1}'
  const ring = (west: number, south: number, east: number, north: number) => [
    ...[
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ],
    [west, south],
  ]
  const boundary = {
    type: 'MultiPolygon',
    coordinates: [
      [ring(-120.5, 43.9, -120.4, 44), ring(-120.48, 43.92, -120.42, 43.98).toReversed()],
      [ring(-120.3, 43.9, -120.2, 44.000000123456)],
    ],
  }
  const [first, second, third, fourth] = await sql<{ id: string }[]>`select id from parcels order by id limit 4`
  await sql`
    update parcels set geom = null, bbox = null, assessed_value = null, owner_names_all = '{}' where id = ${first?.id ?? ''}`
  // The boundary has line ends between its tokens.
  await sql`
    update parcels set geom = ${JSON.stringify(boundary, null, 1)}::text::json,
      bbox = box(point(-120.2, 44.000000123456), point(-120.5, 43.9)), owner_name = ${odd},
      owner_names_all = ${[odd, 'JUNIPER "BO"']}, assessed_value = 9007199254740991
    where id = ${second?.id ?? ''}`
  await sql`
    update parcels set situs_address = null, acreage = null, is_agricultural = null where id = ${third?.id ?? ''}`
  await sql`update parcels set geom = null, lon = -120.123456789, lat = 43.9 where id = ${fourth?.id ?? ''}`
}

/** Writes exports to files of a folder that is removed when the tests end. */
export const createExporter = (sql: Sql) => {
  const workDir = mkdtempSync(join(tmpdir(), 'exports-'))
  afterAll(() => rmSync(workDir, { recursive: true }))
  const write = async (
    name: FormatName,
    options: { fields?: readonly ExportField[]; geometry?: RowGeometry; pageRows?: number } = {},
  ): Promise<string> => {
    const { fields = DEFAULT_FIELDS, geometry = 'full', pageRows = 70 } = options
    const format = FORMATS[name]
    const withPoints = name !== 'ndjson'
    const list = { place: null, fields, geometry, withPoints, order: 'parcel', after: null } as const
    const wanted = { filter: LISTED_PARCELS, ...list }
    const shape = {
      columns: columnsOf(fields),
      withGeometry: geometry !== 'none',
      withPoints,
      origin: ORIGIN,
      workDir,
      reserve: () => {},
    }
    const path = join(workDir, `${crypto.randomUUID()}${format.extension}`)
    const file = Bun.file(path).writer()
    for await (const bytes of format.encode(
      listParcelPages((query) => query(sql, null), wanted, { pageRows }),
      shape,
    ))
      file.write(bytes)
    await file.end()
    return path
  }
  return { workDir, write }
}
