import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { MultiPolygon } from 'geojson'
import { bboxOf } from '../../core/bbox'
import { sampleParcels } from '../../dev/sample-county/county'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSource } from '../../drizzle/queries/sources/create-source'
import type { ParcelInput } from '../../drizzle/records'
import { createTileStore } from '../../tiles-build/archive/tile-store'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { createTestDatabase } from '../servers'
import { readArchive } from './read-archive'

const dir = mkdtempSync(join(tmpdir(), 'tiles-update-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const PARCELS = 200
const { sql, url } = await createTestDatabase()
await seedSampleCounty(sql, { parcels: PARCELS, entities: 0 })
await createSource(sql, { source: 'elm', state: 'OR', countyName: 'Elm', baseUrl: 'https://example.invalid' })
const sample = [...sampleParcels({ parcels: PARCELS })]
const names = sample.map(({ sourceParcelId }) => sourceParcelId)

const storeDir = join(dir, 'store')
const publish = async (options: Partial<typeof DEFAULT_TILE_OPTIONS> = {}) => {
  const context = { databaseUrl: url, to: createTileStore(storeDir), workDir: join(dir, 'work'), threads: 1 }
  const built = await buildTiles({ ...DEFAULT_TILE_OPTIONS, ...options }, { ...context, isUpdate: true })
  return { ...built, file: join(storeDir, 'parcels', `${built.hash}.pmtiles`) }
}
const buildFull = async (options: Partial<typeof DEFAULT_TILE_OPTIONS> = {}): Promise<Buffer> => {
  const file = join(dir, 'full.pmtiles')
  const context = { databaseUrl: url, to: { file }, workDir: join(dir, 'work-full'), threads: 2 }
  await buildTiles({ ...DEFAULT_TILE_OPTIONS, ...options }, context)
  return readFileSync(file)
}
const first = await publish()

/** A boundary somewhere in or around the county, from smaller than a unit to several tiles. */
const boundary = fc
  .record({
    lon: fc.double({ min: -120.7, max: -120.3, noNaN: true }),
    lat: fc.double({ min: 43.7, max: 44.1, noNaN: true }),
    side: fc.constantFrom(1e-7, 0.0003, 0.002, 0.03),
  })
  .map(({ lon, lat, side }): MultiPolygon => {
    const ring = [
      [lon, lat],
      [lon + side, lat],
      [lon + side, lat + side],
      [lon, lat + side / 2],
      [lon, lat],
    ]
    return { type: 'MultiPolygon', coordinates: [[ring]] }
  })
const parcel = fc.constantFrom(...names)
const change = fc.oneof(
  fc.record({ kind: fc.constant('move' as const), name: parcel, geom: boundary }),
  fc.record({ kind: fc.constant('add' as const), name: fc.constantFrom('0-NEW', 'ß-NEW', 'Z-NEW'), geom: boundary }),
  fc.record({
    kind: fc.constant('rename' as const),
    name: parcel,
    owner: fc.constantFrom(null, 'ÅSA ÖBERG', 'ADA ELM'),
  }),
  fc.record({
    kind: fc.constantFrom('retire' as const, 'return' as const, 'delete' as const, 'clear' as const),
    name: parcel,
  }),
)

const apply = async (changes: (typeof change extends fc.Arbitrary<infer Change> ? Change : never)[]): Promise<void> => {
  for (const one of changes) {
    const at = sql`source_parcel_id = ${one.name}`
    if (one.kind === 'move' || one.kind === 'add') {
      const input: ParcelInput = { sourceParcelId: one.name, geom: one.geom, bbox: bboxOf(one.geom) }
      await upsertParcels(sql, one.kind === 'add' ? 'elm' : 'sample-county', [input])
    } else if (one.kind === 'rename') await sql`update parcels set owner_name = ${one.owner} where ${at}`
    else if (one.kind === 'retire') await sql`update parcels set retired_at = now() where ${at}`
    else if (one.kind === 'return') await sql`update parcels set retired_at = null where ${at}`
    else if (one.kind === 'delete') await sql`delete from parcels where ${at}`
    else await sql`update parcels set geom = null, bbox = null where ${at}`
  }
}

test('after any changes, an update has the same bytes as a full build', async () => {
  let updated = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 24 }), async (changes) => {
      await apply(changes)
      const { file, drawnTiles, addressedTiles } = await publish()
      expect(drawnTiles).toBeLessThan(addressedTiles)
      if (!readFileSync(file).equals(await buildFull())) throw new Error('the bytes differ')
      updated++
    }),
    // Each run changes what the one before left, so a smaller counterexample cannot be found.
    { numRuns: 6, endOnFailure: true },
  )
  expect(updated).toBe(6)
}, 240_000)

test('an update draws few tiles, and nothing changed: no new archive', async () => {
  // The changes above may have enlarged or deleted any other parcel.
  const geom: MultiPolygon = {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [-120.5, 43.9],
          [-120.4997, 43.9],
          [-120.4997, 43.9003],
          [-120.5, 43.9],
        ],
      ],
    ],
  }
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'SMALL', geom, bbox: bboxOf(geom) }])
  await publish()
  const before = await publish()
  expect(before.isNew).toBe(false)
  await sql`update parcels set owner_name = 'BO BIRCH' where source = 'elm' and source_parcel_id = 'SMALL'`
  const after = await publish()
  expect(after.isNew).toBe(true)
  expect(after.drawnTiles).toBeLessThan(12)
  expect(after.drawnTiles).toBeGreaterThan(0)
  const owners = (await (await readArchive(after.file)).listParcels(15)).map(({ properties }) => properties.owner_name)
  expect(owners).toContain('BO BIRCH')
})

test('a damaged or missing archive, and other settings, lead to a full build', async () => {
  const published = await publish()
  await sql`update parcels set owner_name = 'CY CEDAR' where source_parcel_id = ${names[8] as string}`
  await Bun.write(published.file, readFileSync(published.file).fill(0, 5_000, 5_100))
  const mended = await publish()
  expect(readFileSync(mended.file).equals(await buildFull())).toBe(true)

  rmSync(mended.file)
  expect(readFileSync((await publish()).file).equals(await buildFull())).toBe(true)

  const chosen = { properties: ['source', 'source_parcel_id', 'acreage'] as const }
  expect(readFileSync((await publish(chosen)).file).equals(await buildFull(chosen))).toBe(true)
  const bare = { properties: ['situs_address'] as const }
  await publish(bare)
  expect(readFileSync((await publish(bare)).file).equals(await buildFull(bare))).toBe(true)
  expect(first.isNew).toBe(true)
})

test('a change in a box as large as a state leads to a full build, which does not visit each of its tiles', async () => {
  const ofSide = (side: number): ParcelInput => {
    const geom: MultiPolygon = {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [-124, 42],
            [-124 + side, 42],
            [-124 + side, 42 + side],
            [-124, 42],
          ],
        ],
      ],
    }
    return { sourceParcelId: 'LARGE', geom, bbox: bboxOf(geom) }
  }
  await publish()
  await upsertParcels(sql, 'elm', [ofSide(4)])
  // The update must draw where the parcel was for a moment.
  await upsertParcels(sql, 'elm', [ofSide(0.001)])
  const { file, drawnTiles, addressedTiles } = await publish()
  expect(drawnTiles).toBe(addressedTiles)
  expect(readFileSync(file).equals(await buildFull())).toBe(true)
})
