import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../../../core/geometry/bbox'
import { ALL_STATES } from '../../../core/state-set'
import { SETTINGS_VERSION } from '../../../search/index/indexes'
import { DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import type { TileProperty } from '../../../tiles-build/read/property-value'
import { createTestApp } from '../../http/test-app'
import { insertSource } from '../../jobs/job-rows'
import { createTestDatabase } from '../../support/servers'
import { readArchive } from '../../tiles-build/read-archive'
import { copySource } from './source-copy'

const source = copySource()

/** Adds a field as a developer would, and checks it in files, layers, the API, provenance, tiles and search. */
test('a new column of parcels takes one entry in the table of fields, a generated migration, a line of the change log and, for search, one line', async () => {
  source.edit('core/parcels/fields.ts', [
    '  is_agricultural: {\n',
    `  school_district: {
    type: 'text',
    maxLength: TEXT.label,
    description: 'School district of the parcel.',
    example: 'WILLOWBROOK 7J',
    inTiles: true,
    inSearch: 'candidate',
    layerColumn: { description: 'School district.', example: 'SCHOOL' },
  },
  is_agricultural: {
`,
  ])
  source.edit('drizzle/functions/parcels.sql', [
    'zoning_description, bbox',
    'zoning_description, school_district, bbox',
  ])
  source.edit('drizzle/functions/parcel-changes.sql', [
    '        CASE WHEN o.is_agricultural',
    `        CASE WHEN o.school_district IS DISTINCT FROM n.school_district THEN '"school_district":' || json_build_array(o.school_district, n.school_district) END,
        CASE WHEN o.is_agricultural`,
  ])
  source.run('bun', 'node_modules/.bin/drizzle-kit', 'generate', '--name=school_district')
  source.run('bun', 'run', 'docs:fields')

  const changes = source.listChanges()
  expect(changes.filter((file) => !file.startsWith('drizzle/migrations/'))).toEqual([
    'core/parcels/fields.ts',
    'docs/parcel-fields.md',
    'drizzle/functions/parcel-changes.sql',
    'drizzle/functions/parcels.sql',
  ])
  expect(changes).toContainEqual(expect.stringMatching(/^drizzle\/migrations\/\d{4}_school_district\.sql$/))

  // The migration applies to an existing database.
  const { url, sql } = await createTestDatabase()
  const { migrate } = await source.load<typeof import('../../../drizzle/migrate')>('drizzle/migrate.ts')
  await migrate(url)

  // A file can contain the field.
  await insertSource(sql, 'elm', 'test')
  const file = join(source.dir, 'parcels.csv')
  writeFileSync(file, 'source_parcel_id,owner_name,school_district\n7,ADA ELM, Elm  1 \n')
  const { ingestParcels } = await source.load<typeof import('../../../src/ingest/ingest')>('src/ingest/ingest.ts')
  const summary = await ingestParcels(sql, 'elm', { file, map: [], rejectsFile: join(source.dir, 'rejects.csv') })
  expect(summary).toMatchObject({ inserted: 1, rejected: 0 })

  // The API returns the field and describes it.
  const { createApp } = await source.load<typeof import('../../../src/http/app')>('src/http/app.ts')
  const { call } = await createTestApp({ sql, createApp })
  expect((await call('/v1/parcels/elm/7')).body).toMatchObject({ owner_name: 'ADA ELM', school_district: 'Elm 1' })
  const { fields } = (await call('/v1/parcels/elm/7/provenance')).body
  expect(fields).toContainEqual(expect.objectContaining({ field: 'school_district', value: 'Elm 1', origin: 'ingest' }))
  const { components } = (await call('/openapi.json', { key: null })).body
  const { properties } = components.schemas.Parcel
  expect(JSON.stringify(properties.school_district)).toContain('School district of the parcel.')
  const names = Object.keys(properties)
  expect(names[names.indexOf('school_district') - 1]).toBe('zoning_description')

  // A layer can contain it, and a change reaches the outbox and the search document.
  const { readRecords } = await source.load<typeof import('../../../adapters/reading/record-map')>(
    'adapters/reading/record-map.ts',
  )
  const columns = { parcel_id: 'PIN', school_district: 'SCHOOL' }
  const { sourceParcelId, fields: read } = readRecords([{ PIN: '7', SCHOOL: 'Elm 2' }], { columns }, () => undefined)
  expect(read).toEqual({ schoolDistrict: 'Elm 2' } as object)
  const { upsertParcels } = await source.load<typeof import('../../../drizzle/queries/parcels/upsert-parcels')>(
    'drizzle/queries/parcels/upsert-parcels.ts',
  )
  await sql`delete from search_outbox`
  expect(await upsertParcels(sql, 'elm', [{ sourceParcelId, ...read }])).toMatchObject({ updated: 1 })
  const [logged] = await sql`select changes from parcel_changes order by version desc limit 1`
  expect(logged?.changes).toEqual({ school_district: ['Elm 1', 'Elm 2'] })
  const queued = await sql<{ id: string }[]>`select id from search_outbox`
  const ids = queued.map(({ id }) => id)
  const { listDocuments } = await source.load<typeof import('../../../search/index/list-documents')>(
    'search/index/list-documents.ts',
  )
  const { CANDIDATE_ATTRIBUTE, decodeParcel } =
    await source.load<typeof import('../../../search/index/candidates')>('search/index/candidates.ts')
  const [document] = await listDocuments(sql, 'parcel', ids, ALL_STATES)
  expect(document).toMatchObject({ name: 'ada elm' })
  expect(decodeParcel(String(document?.[CANDIDATE_ATTRIBUTE as never]))).toMatchObject({ schoolDistrict: 'Elm 2' })

  // The index is rebuilt with it.
  const { SETTINGS_VERSION: version } =
    await source.load<typeof import('../../../search/index/indexes')>('search/index/indexes.ts')
  expect(version).not.toBe(SETTINGS_VERSION)

  // A tile contains it.
  await upsertParcels(sql, 'elm', [{ sourceParcelId, ...LOT }])
  const { buildTiles } = await source.load<typeof import('../../../tiles-build/build')>('tiles-build/build.ts')
  const archive = join(source.dir, 'parcels.pmtiles')
  await buildTiles(
    {
      ...DEFAULT_TILE_OPTIONS,
      minZoom: 15,
      properties: ['source_parcel_id', 'school_district' as string as TileProperty],
    },
    { databaseUrl: url, to: { file: archive }, workDir: join(source.dir, 'work'), threads: 1 },
  )
  const [drawn] = await (await readArchive(archive)).listParcels(15)
  expect(drawn?.properties).toEqual({ source_parcel_id: '7', school_district: 'Elm 2' })
})

const [west, south, east, north]: Bbox = [-120.1, 43.5, -120.099, 43.501]
const LOT: { geom: MultiPolygon; bbox: Bbox } = {
  geom: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [west, south],
          [east, south],
          [east, north],
          [west, north],
          [west, south],
        ],
      ],
    ],
  },
  bbox: [west, south, east, north],
}
