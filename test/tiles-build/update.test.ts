import { afterAll, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { MultiPolygon } from 'geojson'
import { bboxOf } from '../../core/geometry/bbox'
import { LISTED_PARCELS, type ParcelFilter } from '../../core/parcels/filter'
import { sampleParcels } from '../../dev/sample-county/county'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { listChangedBoxes } from '../../drizzle/queries/tiles/changed-parcels'
import { countDrawnParcels } from '../../drizzle/queries/tiles/parcel-cells'
import { findTilesAge } from '../../drizzle/queries/tiles/published-tiles'
import type { ParcelInput } from '../../drizzle/records'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { sortKeyOfParcel } from '../../tiles-build/encode/bucket'
import { listCounties } from '../../tiles-build/overview/county-outlines'
import { WORLD_CELLS } from '../../tiles-build/overview/overview-tiles'
import type { DrawnParcels } from '../../tiles-build/overview/write-overview'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { readTile, readTiles, type StoredTile } from '../../tiles-build/update/former-archive'
import { readCounts } from '../../tiles-build/update/former-counts'
import { recountParcels } from '../../tiles-build/update/recount'
import { createTestDatabase, waitFor } from '../support/servers'
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
  return { ...built, file: join(storeDir, options.layer ?? 'parcels', `${built.hash}.pmtiles`) }
}
const buildFull = async (options: Partial<typeof DEFAULT_TILE_OPTIONS> = {}): Promise<Buffer> => {
  const file = join(dir, 'full.pmtiles')
  const context = { databaseUrl: url, to: { file }, workDir: join(dir, 'work-full'), threads: 2 }
  await buildTiles({ ...DEFAULT_TILE_OPTIONS, ...options }, context)
  return readFileSync(file)
}
const kept = boundaryAt(-120.5, 43.9, 0.0003)
await upsertParcels(sql, 'elm', [
  {
    ...{ sourceParcelId: 'KEPT', geom: kept, bbox: bboxOf(kept), ownerName: 'ADA ELM' },
    ...{ assessedValue: 400_000, acreage: 0.5, zoningCode: 'EFU-1', isAgricultural: true },
  },
])
await upsertParcels(sql, 'elm', [{ sourceParcelId: 'GONE', geom: kept, bbox: bboxOf(kept) }])
await sql`update parcels set retired_at = now() where source_parcel_id = 'GONE'`
// The changes below are inside the boxes of these: most updates count parcels by cells. The layers of FILTERED do not have them.
for (const source of ['elm', 'sample-county']) {
  for (const geom of [boundaryAt(-121, 43.4, 0.0003), boundaryAt(-120, 44.4, 0.0003)]) {
    await upsertParcels(sql, source, [{ sourceParcelId: `CORNER-${bboxOf(geom)[0]}`, geom, bbox: bboxOf(geom) }])
  }
}
const first = await publish()

const layer = (name: string, filter: Partial<ParcelFilter>) => ({
  ...{ layer: name, minZoom: 10, maxZoom: 13, filter: { ...LISTED_PARCELS, ...filter } },
})
/** Each has a parcel that no change below reaches. */
const FILTERED = [
  layer('valued', { minValue: 300_000, maxAcres: 1 }),
  layer('farms', { isAgricultural: true, zoning: 'efu' }),
  layer('owned', { owner: 'Ada Elm', state: 'OR' }),
  layer('gone', { lifecycle: 'retired' }),
]
for (const one of FILTERED) await publish(one)

function boundaryAt(lon: number, lat: number, side: number): MultiPolygon {
  const ring = [
    [lon, lat],
    [lon + side, lat],
    [lon + side, lat + side],
    [lon, lat + side / 2],
    [lon, lat],
  ]
  return { type: 'MultiPolygon', coordinates: [[ring]] }
}

/** A boundary somewhere in or around the county, from smaller than a unit to several tiles. */
const boundary = fc
  .record({
    lon: fc.double({ min: -120.7, max: -120.3, noNaN: true }),
    lat: fc.double({ min: 43.7, max: 44.1, noNaN: true }),
    side: fc.constantFrom(1e-7, 0.0003, 0.002, 0.03),
  })
  .map(({ lon, lat, side }) => boundaryAt(lon, lat, side))
const parcel = fc.constantFrom(...names)
const change = fc.oneof(
  fc.record({ kind: fc.constant('move' as const), name: parcel, geom: boundary }),
  fc.record({
    kind: fc.constant('point' as const),
    name: parcel,
    lon: fc.double({ min: -120.7, max: -120.3, noNaN: true }),
    lat: fc.double({ min: 43.7, max: 44.1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('add' as const), name: fc.constantFrom('0-NEW', 'ß-NEW', 'Z-NEW'), geom: boundary }),
  fc.record({
    kind: fc.constant('rename' as const),
    name: parcel,
    owner: fc.constantFrom(null, 'ÅSA ÖBERG', 'ADA ELM'),
  }),
  fc.record({
    kind: fc.constant('value' as const),
    name: parcel,
    value: fc.constantFrom(null, 299_999, 300_000),
    acres: fc.constantFrom(null, 0.25, 40),
    zoning: fc.constantFrom(null, 'EFU', 'R-7'),
    isFarm: fc.constantFrom(null, true, false),
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
    } else if (one.kind === 'point') {
      const { name: sourceParcelId, lon, lat } = one
      await upsertParcels(sql, 'sample-county', [{ sourceParcelId, lon, lat }])
    } else if (one.kind === 'rename') await sql`update parcels set owner_name = ${one.owner} where ${at}`
    else if (one.kind === 'value') {
      const { value, acres, zoning, isFarm } = one
      await sql`
        update parcels set assessed_value = ${value}, acreage = ${acres}, zoning_code = ${zoning}, is_agricultural = ${isFarm}
        where ${at}`
    } else if (one.kind === 'retire') await sql`update parcels set retired_at = now() where ${at}`
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
      // Takes turns, so that an update also follows the changes of several runs.
      const filtered = FILTERED[updated % FILTERED.length] as (typeof FILTERED)[number]
      if (!readFileSync((await publish(filtered)).file).equals(await buildFull(filtered))) {
        throw new Error(`the bytes of the layer ${filtered.layer} differ`)
      }
      updated++
    }),
    // Each run changes what the one before left, so a smaller counterexample cannot be found.
    { numRuns: 6, endOnFailure: true },
  )
  expect(updated).toBe(6)
}, 240_000)

test('a parcel that begins or ceases to match the filter of a layer appears or disappears with an update of few tiles', async () => {
  const valued = FILTERED[0] as (typeof FILTERED)[number]
  const geom = boundaryAt(-120.4, 43.8, 0.0003)
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'LOT', geom, bbox: bboxOf(geom), assessedValue: 1, acreage: 1 }])
  const draw = async () => {
    const { file, drawnTiles } = await publish(valued)
    const drawn = (await (await readArchive(file)).listParcels(13)).map(({ properties }) => properties.source_parcel_id)
    return { isDrawn: drawn.includes('LOT'), drawnTiles }
  }
  expect((await draw()).isDrawn).toBe(false)
  for (const [value, isDrawn] of [
    [300_000, true],
    [299_999, false],
  ] as const) {
    await sql`update parcels set assessed_value = ${value} where source_parcel_id = 'LOT'`
    const after = await draw()
    expect(after.isDrawn).toBe(isDrawn)
    expect(after.drawnTiles).toBeGreaterThan(0)
    expect(after.drawnTiles).toBeLessThan(12)
  }
})

test('when the change log cannot tell which parcels match a filter, everything is built again', async () => {
  const recent = layer('recent', { changedSince: '2030-01-01T00:00:00.000Z' })
  await sql`update parcels set updated_at = '2030-01-02' where source_parcel_id = 'KEPT'`
  await publish(recent)
  // The log does not have this.
  await sql`update parcels set updated_at = '2030-01-02' where source_parcel_id = ${names[9] as string}`
  const changed = await publish(recent)
  expect(changed.drawnTiles).toBe(changed.addressedTiles)
  expect(readFileSync(changed.file).equals(await buildFull(recent))).toBe(true)

  const ofCounty = layer('elm', { county: 'Elm' })
  await publish(ofCounty)
  const { parcels } = await publish(ofCounty)
  await sql`update sources set county_name = 'ELM' where source = 'sample-county'`
  const joined = await publish(ofCounty)
  expect(joined.parcels).toBeGreaterThan(parcels + 100)
  expect(readFileSync(joined.file).equals(await buildFull(ofCounty))).toBe(true)
})

test('an update draws few tiles, and makes no new archive if nothing changed', async () => {
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

test.each(['a new archive', 'no new archive'])(
  'a change that is committed while a build reads the parcels is in the next update, if the build makes %s',
  async (made) => {
    await publish()
    const isNew = made === 'a new archive'
    if (isNew) await sql`update parcels set owner_name = 'BEFORE' where source_parcel_id = 'KEPT'`
    let building: ReturnType<typeof publish> | undefined
    await sql.begin(async (tx) => {
      await tx`lock table parcels in access exclusive mode`
      building = publish()
      await waitFor(
        async () =>
          (
            await sql`
            select from pg_stat_activity
            where application_name = 'tiles-build' and wait_event_type = 'Lock' and datname = current_database()`
          ).length > 0,
      )
      await tx`update parcels set owner_name = ${`DURING ${made}`} where source_parcel_id = 'KEPT'`
      await tx`
      insert into loads (id, source, kind, status, applied_at)
      values (uuidv7(), 'elm', 'ingest', 'applied', clock_timestamp())`
    })
    expect((await building)?.isNew).toBe(isNew)
    expect(await findTilesAge(sql, 'parcels')).toMatchObject({ changes: 1, hasLoad: true })
    const { file } = await publish()
    expect(readFileSync(file).equals(await buildFull())).toBe(true)
  },
)

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

test('parcels that change within a county are counted by cells, with the result of a full count; others by a full count', async () => {
  for (const source of ['oak', 'oak-town', 'fir']) {
    const countyName = source === 'fir' ? 'Fir' : 'Oak'
    await createSource(sql, { source, state: 'OR', countyName, baseUrl: 'https://example.invalid' })
  }
  const put = (source: string, sourceParcelId: string, lon: number, lat: number) => {
    const geom = boundaryAt(lon, lat, 0.0003)
    return upsertParcels(sql, source, [{ sourceParcelId, geom, bbox: bboxOf(geom) }])
  }
  await put('oak', 'SW', -119.5, 43.5)
  await put('oak', 'NE', -119.4, 43.6)
  await put('oak', 'A', -119.45, 43.55)
  await put('oak-town', 'T', -119.46, 43.55)

  const filter = { filter: LISTED_PARCELS, sources: null }
  const listKeys = async (): Promise<Set<string>> => {
    const rows =
      await sql`select source, source_parcel_id as id from parcels where bbox is not null and retired_at is null`
    return new Set(rows.map(({ source, id }) => sortKeyOfParcel(source, id)))
  }
  const simplify = ({ sources, cells }: DrawnParcels) => ({
    counties: listCounties(sources),
    cells: cells.map(({ x, y, parcels }) => `${y} ${x} ${parcels}`).sort(),
  })
  const recount = async (change: () => Promise<unknown>) => {
    const { file: path } = await publish()
    const former = await readTiles(path)
    const [version, formerKeys] = [await readWatermark(sql), await listKeys()]
    await change()
    const boxes = await listChangedBoxes(sql, version)
    const keys = new Set(boxes.map((box) => sortKeyOfParcel(box.source, box.source_parcel_id)))
    const recounted = await recountParcels(sql, filter, boxes, keys.intersection(await listKeys()), () => {
      const file = openSync(path, 'r')
      const tiles = new Map(former.tiles.map((tile) => [tile.tileId, tile]))
      const counts = readCounts([...tiles.keys()], (tileId) => readTile(file, tiles.get(tileId) as StoredTile))
      closeSync(file)
      return { counts, before: keys.intersection(formerKeys) }
    })
    if (recounted !== null) {
      expect(simplify(recounted)).toEqual(simplify(await countDrawnParcels(sql, filter, WORLD_CELLS)))
    }
    return recounted === null ? 'all' : 'cells'
  }

  expect(await recount(() => put('oak', 'A', -119.42, 43.52))).toBe('cells')
  expect(await recount(() => put('oak', 'B', -119.45, 43.55))).toBe('cells')
  expect(await recount(() => sql`update parcels set owner_name = 'DEE' where source_parcel_id in ('A', 'T')`)).toBe(
    'cells',
  )
  // Oak's other source may have lost its last parcel.
  expect(await recount(() => sql`delete from parcels where source = 'oak-town'`)).toBe('all')
  expect(await recount(() => sql`update parcels set retired_at = now() where source_parcel_id = 'B'`)).toBe('cells')
  expect(await recount(() => sql`update parcels set retired_at = null where source_parcel_id = 'B'`)).toBe('cells')
  // The box of the county may become smaller, or larger.
  expect(await recount(() => put('oak', 'SW', -119.49, 43.51))).toBe('all')
  expect(await recount(() => put('oak', 'A', -119.3, 43.7))).toBe('all')
  expect(await recount(() => put('fir', '1', -119.2, 43.5))).toBe('all')
  expect(await recount(() => sql`delete from parcels where source = 'fir'`)).toBe('all')
  expect(await recount(() => put('oak-town', 'U', -119.45, 43.55))).toBe('all')
  expect(await recount(() => put('oak-town', 'V', -119.45, 43.55))).toBe('cells')
  // It is not known how many of the county's parcels move with the source.
  expect(await recount(() => sql`update sources set county_name = 'Fir' where source = 'oak-town'`)).toBe('all')
  expect(readFileSync((await publish()).file).equals(await buildFull())).toBe(true)
})
