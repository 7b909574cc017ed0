import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { type IngestOptions, ingestParcels } from '../../src/ingest/ingest'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { createTestDatabase } from '../support/servers'
import { readArchive } from '../tiles-build/read-archive'

/*
 * Public records name real people and are not part of the repository. If `ROLLS_DIR` names a folder with them, they are tested too:
 * `cambridge_ma/parcels.geojsonl.gz`, the City of Cambridge's parcels joined with its roll of 2014, and
 * `hillsboro_or/parcels.csv.gz`, Hillsboro's, without geometry.
 */
const ROLLS = process.env.ROLLS_DIR ?? ''
const CAMBRIDGE = `source_parcel_id=ML|LOC_ID, situs_address=Location, land_use_class=UseDescription, acreage=LandAreaSqFt/43560,
  value_land=TotalAppraisedLandValue, value_improvement=TotalAppraisedImprovements, assessed_value=TotalAppraisedParcelValue,
  owner_name=Owner_Name, zoning_code=Zoning`
const HILLSBORO = `source_parcel_id=tlid, owner_name=owner, situs_address=address, situs_city=city, situs_zip=zip,
  value_land=mrkt_land_val, value_improvement=mrkt_bld_val, assessed_value=assessed_val, acreage=lot_size_acres,
  zoning_code=zoned_as, land_use_class=prop_class`

const readRealRolls = async () => {
  const { url, sql } = await createTestDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'rolls-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  const ingest = async (
    source: string,
    state: string,
    file: string,
    fields: string,
    options: Partial<IngestOptions> = {},
  ) => {
    await createSource(sql, { source, state, countyName: source, baseUrl: 'https://example.invalid' })
    const map = parseFieldMap(fields, PARCEL_FIELDS)
    const summary = { file: join(ROLLS, file), map, rejectsFile: join(dir, 'rejects.csv'), ...options }
    return ingestParcels(sql, source, summary)
  }

  test('all 13,116 parcels of Cambridge are loaded', async () => {
    const options: Partial<IngestOptions> = { duplicates: 'number', brokenGeometry: 'leave-out' }
    expect(await ingest('cambridge', 'MA', 'cambridge_ma/parcels.geojsonl.gz', CAMBRIDGE, options)).toMatchObject({
      ...{ read: 13_116, inserted: 13_116, updated: 0, unchanged: 0, rejected: 0 },
    })
  })

  test('each parcel with an outline is in the tiles of the highest zoom', async () => {
    const rows = await sql<{ id: string }[]>`
      select source_parcel_id as id from parcels where source = 'cambridge' and geom is not null`
    // One is only a line, there and back.
    expect(rows).toHaveLength(13_115)
    const file = join(dir, 'cambridge.pmtiles')
    const built = await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: { file }, workDir: join(dir, 'work') })
    expect(built).toMatchObject({ parcels: rows.length, withoutPosition: 0 })
    const drawn = new Set(
      (await (await readArchive(file)).listParcels(15)).map(({ properties }) => properties.source_parcel_id),
    )
    expect(rows.filter(({ id }) => !drawn.has(id))).toEqual([])
    expect(drawn.size).toBe(rows.length)
  })

  test('all 33,386 parcels of Hillsboro are loaded, without geometry', async () => {
    expect(await ingest('hillsboro', 'OR', 'hillsboro_or/parcels.csv.gz', HILLSBORO)).toMatchObject({
      ...{ read: 33_386, inserted: 33_386, updated: 0, unchanged: 0, rejected: 0 },
    })
    expect(await sql`select from parcels where source = 'hillsboro' and geom is not null limit 1`).toHaveLength(0)
  })
}

if (existsSync(join(ROLLS, 'cambridge_ma'))) describe('real rolls', readRealRolls)
