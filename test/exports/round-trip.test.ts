import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { FORMAT_NAMES } from '../../src/exports/formats'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { ingestParcels } from '../../src/ingest/ingest'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase } from '../support/servers'
import { createExporter } from './sample-export'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql } = await createTestDatabase()
const PARCELS = 50
await seedSampleCounty(sql, { parcels: PARCELS, entities: 0 })
const [formulas, point, owners, semicolons, list] = await sql<
  { id: string }[]
>`select id from parcels order by id limit 5`
await sql`
  update parcels set source_parcel_id = '-5-3', owner_name = '=1+1', owner_names_all = ${['=1+1', '+ELM']}, situs_address = '''=2',
    zoning_code = '''-R', land_use_class = '-12.5', situs_city = '''', assessed_value = 9007199254740991
  where id = ${formulas?.id ?? ''}`
await sql`update parcels set geom = null, bbox = null, lon = -120.123456789, lat = 43.9 where id = ${point?.id ?? ''}`
await sql`
  update parcels set geom = null, bbox = null, acreage = null, is_agricultural = null, owner_names_all = ${['O"BRIEN, ÑANDÚ', "[A]'"]}
  where id = ${owners?.id ?? ''}`
await sql`update parcels set owner_names_all = ${['ELM; OAK', 'ASH']} where id = ${semicolons?.id ?? ''}`
await sql`update parcels set owner_names_all = ${['[1]']} where id = ${list?.id ?? ''}`
const { workDir, write } = createExporter(sql)
/** Written before the first copy is loaded: an export has the parcels of all sources. */
const files = new Map<string, string>()
for (const format of FORMAT_NAMES) files.set(format, await write(format))

const contentOf = (source: string) => sql`
  select source_parcel_id, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip,
    land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land, value_improvement, lon, lat,
    geom::jsonb as geom, bbox::text
  from parcels where source = ${source} order by source_parcel_id`

test.each([...FORMAT_NAMES])(
  'an export as %s can be loaded again without a map, and nothing is different',
  async (format) => {
    const source = `copy-${format}`
    await createSource(sql, { source, state: 'OR', countyName: 'Copy', baseUrl: 'https://copy.example' })
    const summary = await ingestParcels(sql, source, {
      file: files.get(format) ?? '',
      map: parseFieldMap('', PARCEL_FIELDS),
      rejectsFile: join(workDir, `${format}.rejects.csv`),
    })
    expect(summary).toMatchObject({ inserted: PARCELS, rejected: 0 })
    expect(await contentOf(source)).toEqual(await contentOf('sample-county'))
  },
)
