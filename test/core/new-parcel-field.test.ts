import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../../core/bbox'
import { DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import type { TileProperty } from '../../tiles-build/read/property-value'
import { createTestApp } from '../http/test-app'
import { insertSource } from '../jobs/job-rows'
import { createTestDatabase } from '../servers'
import { readArchive } from '../tiles-build/read-archive'

/*
 * Adds a field to a copy of the source, as a developer would, and runs the copy. The test checks the field in files, layers, the API,
 * provenance, tiles and search.
 */

const FOLDERS = ['core', 'drizzle', 'src', 'adapters', 'search', 'tiles-build', 'dev', 'docs']
const FILES = ['package.json', 'tsconfig.json', 'drizzle.config.ts']

const dir = mkdtempSync(join(tmpdir(), 'new-field-'))
afterAll(() => rmSync(dir, { recursive: true }))
const copy = join(dir, 'copy')
for (const path of [...FOLDERS, ...FILES]) {
  cpSync(path, join(copy, path), { recursive: true, filter: (from) => !from.endsWith('/fixtures') })
}
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))

const edit = (file: string, ...edits: [before: string, after: string][]) => {
  const path = join(copy, file)
  let text = readFileSync(path, 'utf8')
  for (const [before, after] of edits) {
    expect(text).toContain(before)
    text = text.replaceAll(before, after)
  }
  writeFileSync(path, text)
}

const run = (...command: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: copy })
  expect({ exitCode, output: exitCode === 0 ? '' : `${stdout}${stderr}` }).toEqual({ exitCode: 0, output: '' })
}

/** Imports a module of the copy. Its types are those of this source, which do not have the new field. */
const load = <Module>(file: string): Promise<Module> => import(join(copy, file))

/** Files of the copy that are new or differ. */
const listChanges = (): string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(copy.length + 1))
      .filter((file) => readIfAny(file) !== readFileSync(join(copy, file), 'utf8')),
  ).toSorted()

const readIfAny = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

test('a new column of parcels takes one entry in the table of fields, a generated migration and, for search, two lines', async () => {
  edit('core/parcel-fields.ts', [
    '  is_agricultural: {\n',
    `  school_district: {
    type: 'text',
    maxLength: TEXT.label,
    description: 'School district of the parcel.',
    example: 'WILLOWBROOK 7J',
    inRecord: true,
    inTiles: true,
    inSearch: 'candidate',
    layerColumn: { description: 'School district.', example: 'SCHOOL' },
  },
  is_agricultural: {
`,
  ])
  edit('drizzle/functions/parcels.sql', ['zoning_description, bbox', 'zoning_description, school_district, bbox'])
  edit('search/index/indexes.ts', ['DOCUMENT_VERSION = 2', 'DOCUMENT_VERSION = 3'])
  run('bun', 'node_modules/.bin/drizzle-kit', 'generate', '--name=school_district')
  run('bun', 'run', 'docs:fields')

  const changes = listChanges()
  expect(changes.filter((file) => !file.startsWith('drizzle/migrations/'))).toEqual([
    'core/parcel-fields.ts',
    'docs/parcel-fields.md',
    'drizzle/functions/parcels.sql',
    'search/index/indexes.ts',
  ])
  expect(changes).toContainEqual(expect.stringMatching(/^drizzle\/migrations\/\d{4}_school_district\.sql$/))

  // The migration applies to an existing database.
  const { url, sql } = await createTestDatabase()
  const { migrate } = await load<typeof import('../../drizzle/migrate')>('drizzle/migrate.ts')
  await migrate(url)

  // A file can contain the field.
  await insertSource(sql, 'elm', 'test')
  const file = join(dir, 'parcels.csv')
  writeFileSync(file, 'source_parcel_id,owner_name,school_district\n7,ADA ELM, Elm  1 \n')
  const { ingestParcels } = await load<typeof import('../../src/ingest/ingest')>('src/ingest/ingest.ts')
  const summary = await ingestParcels(sql, 'elm', { file, map: [], rejectsFile: join(dir, 'rejects.csv') })
  expect(summary).toMatchObject({ inserted: 1, rejected: 0 })

  // The API returns the field and describes it.
  const { createApp } = await load<typeof import('../../src/http/app')>('src/http/app.ts')
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
  const { readRecords } = await load<typeof import('../../adapters/reading/record-map')>(
    'adapters/reading/record-map.ts',
  )
  const columns = { parcel_id: 'PIN', school_district: 'SCHOOL' }
  const { sourceParcelId, fields: read } = readRecords([{ PIN: '7', SCHOOL: 'Elm 2' }], { columns }, () => undefined)
  expect(read).toEqual({ schoolDistrict: 'Elm 2' } as object)
  const { upsertParcels } = await load<typeof import('../../drizzle/queries/parcels/upsert-parcels')>(
    'drizzle/queries/parcels/upsert-parcels.ts',
  )
  await sql`delete from search_outbox`
  expect(await upsertParcels(sql, 'elm', [{ sourceParcelId, ...read }])).toMatchObject({ updated: 1 })
  const queued = await sql<{ id: string }[]>`select id from search_outbox`
  const ids = queued.map(({ id }) => id)
  const { listDocuments } = await load<typeof import('../../search/index/list-documents')>(
    'search/index/list-documents.ts',
  )
  expect(await listDocuments(sql, 'parcel', ids)).toMatchObject([{ school_district: 'Elm 2', name: 'ada elm' }])

  // A tile contains it.
  await upsertParcels(sql, 'elm', [{ sourceParcelId, ...LOT }])
  const { buildTiles } = await load<typeof import('../../tiles-build/build')>('tiles-build/build.ts')
  const archive = join(dir, 'parcels.pmtiles')
  await buildTiles(
    {
      ...DEFAULT_TILE_OPTIONS,
      minZoom: 15,
      properties: ['source_parcel_id', 'school_district' as string as TileProperty],
    },
    { databaseUrl: url, to: { file: archive }, workDir: join(dir, 'work'), threads: 1 },
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
