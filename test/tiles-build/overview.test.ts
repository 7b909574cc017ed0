import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Polygon } from 'geojson'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import outlinesPath from 'us-atlas/counties-10m.json' with { type: 'file' }
import { type Bbox, bboxOf } from '../../core/geometry/bbox'
import { LISTED_PARCELS, type ParcelFilter } from '../../core/parcels/filter'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { listCounties } from '../../tiles-build/overview/county-outlines'
import { makeOverviewTiles } from '../../tiles-build/overview/overview-tiles'
import { createTestDatabase } from '../support/servers'
import { readArchive } from './read-archive'

/** Imported as the page of the map does, and before the tile build: see county-outlines.ts. */
const topology = JSON.parse(readFileSync(outlinesPath as unknown as string, 'utf8')) as Topology
const { features } = feature(topology, topology.objects.counties as GeometryCollection)
const outlineOf = (fips: string) => features.find(({ id }) => id === fips)?.geometry as Polygon

describe('outlines of counties', () => {
  const drawn = (source: string, state: string, county: string, bbox: Bbox, parcels = 10) => ({
    ...{ source, state, county, bbox, parcels },
  })

  test('a county has the outline of the Census, by its state and name, with or without the word "County"', () => {
    for (const name of ['Washington', 'Washington County', 'WASHINGTON']) {
      const [county] = listCounties([drawn('a', 'OR', name, [-123, 45.5, -122.9, 45.6])])
      expect(county?.outline).toEqual(outlineOf('41067'))
    }
  })

  test('the sources of a county are drawn as one county, with the parcels of all', () => {
    const found = listCounties([
      drawn('cambridge', 'MA', 'Middlesex', [-71.16, 42.35, -71.06, 42.4], 13_000),
      drawn('lowell', 'MA', 'Middlesex', [-71.38, 42.6, -71.27, 42.67], 20_000),
    ])
    expect(found).toEqual([
      {
        name: 'Middlesex, MA',
        sources: ['cambridge', 'lowell'],
        parcels: 33_000,
        bbox: [-71.38, 42.35, -71.06, 42.67],
        outline: outlineOf('25017'),
      },
    ])
  })

  test('if a county and a city have the same name, the one with the parcels is drawn', () => {
    const [county] = listCounties([drawn('a', 'VA', 'Roanoke', [-80.3, 37.15, -80.25, 37.2])])
    const [city] = listCounties([drawn('b', 'VA', 'Roanoke City', [-79.97, 37.25, -79.92, 37.29])])
    expect(county?.outline).toEqual(outlineOf('51161'))
    expect(city?.outline).toEqual(outlineOf('51770'))
  })

  test('a city and the county around it are two counties, although the Census gives them the same name', () => {
    const boxOf = (fips: string) => bboxOf(outlineOf(fips))
    for (const [state, name, city, county] of [
      ['MD', 'Baltimore', '24510', '24005'],
      ['MO', 'St. Louis', '29510', '29189'],
      ['VA', 'Fairfax', '51600', '51059'],
    ] as const) {
      const found = listCounties([
        drawn('a', state, `${name} County`, boxOf(county)),
        drawn('b', state, `${name} City`, boxOf(city)),
        drawn('c', state, `City of ${name}`, boxOf(city)),
      ])
      expect(found).toMatchObject([
        { sources: ['b', 'c'], outline: outlineOf(city) },
        { sources: ['a'], outline: outlineOf(county) },
      ])
    }
  })

  test('an invented county has the box of its parcels', () => {
    const [county] = listCounties([drawn('a', 'OR', 'Larkspur', [-120.55, 43.86, -120.45, 43.94])])
    expect(county?.outline?.coordinates).toEqual([
      [
        [-120.55, 43.86],
        [-120.45, 43.86],
        [-120.45, 43.94],
        [-120.55, 43.94],
        [-120.55, 43.86],
      ],
    ])
  })

  test('an invented county with parcels on both sides of the antimeridian is drawn without the box around the Earth', () => {
    const counties = listCounties([drawn('a', 'AK', 'Larkspur', [-180, 44, 180, 90])])
    expect(counties).toMatchObject([{ name: 'Larkspur, AK', parcels: 10, outline: null }])
    const tiles: number[] = []
    makeOverviewTiles(9, counties, [{ x: 0, y: 5_000, parcels: 10 }], (tileId) => tiles.push(tileId))
    // Its name is in one tile, its number of parcels in another.
    expect(tiles).toHaveLength(2)
  })
})

interface Row {
  source: string
  id: string
  owner: string | null
  use: string
  zoning: string | null
  zone: string | null
  value: number | null
  acres: number | null
  farmed: boolean | null
  fresh: boolean
  retired: boolean
}

describe('the zooms below the parcels', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'overview-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  const { sql, url } = await createTestDatabase()
  await seedSampleCounty(sql, { parcels: 300, entities: 0 })
  await createSource(sql, { source: 'ma', state: 'MA', countyName: 'Middlesex', baseUrl: 'https://example.invalid' })
  const ring = '[[-71.11,42.37],[-71.10,42.37],[-71.10,42.38],[-71.11,42.38],[-71.11,42.37]]'
  await sql`
    insert into parcels (source, source_parcel_id, geom, bbox)
    values ('ma', '1', ${`{"type":"MultiPolygon","coordinates":[[${ring}]]}`}::text::json, '(-71.10,42.38),(-71.11,42.37)')`
  const build = async (name: string, options: Partial<typeof DEFAULT_TILE_OPTIONS> = {}) => {
    const file = join(dir, name)
    const context = { databaseUrl: url, to: { file }, workDir: join(dir, 'work'), threads: 2 }
    await buildTiles({ ...DEFAULT_TILE_OPTIONS, ...options }, context)
    return readArchive(file)
  }
  const archive = await build('all')

  test('the archive begins at zoom 0; its metadata names the zooms of each layer, and the box of the parcels', async () => {
    expect([archive.header.minZoom, archive.header.maxZoom]).toEqual([0, 15])
    expect(archive.metadata).toMatchObject({
      vector_layers: [
        { id: 'parcels', minzoom: 10, maxzoom: 15 },
        { id: 'counties', minzoom: 0, maxzoom: 9, fields: { name: 'String', parcels: 'Number' } },
        { id: 'county_centers', minzoom: 0, maxzoom: 9 },
        { id: 'parcel_counts', minzoom: 0, maxzoom: 9, fields: { parcels: 'Number' } },
      ],
      parcel_bounds: [expect.any(Number), 42.37, -71.1, expect.any(Number)],
    })
    expect(await archive.listLayers(10)).toEqual(['parcels'])
  })

  test('the bounds contain the outlines, so that maps request all tiles with a part of a county', () => {
    // Middlesex extends north to New Hampshire.
    expect(archive.header.maxLat).toBeGreaterThan(42.7)
    expect(archive.header.maxLon).toBeGreaterThan(-71.1)
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('at zoom %d every parcel is counted once, in its place', async (zoom) => {
    const cells = await archive.listPoints(zoom, 'parcel_counts')
    expect(cells.reduce((sum, { properties }) => sum + (properties.parcels as number), 0)).toBe(301)
    const [east] = cells.toSorted((a, b) => b.lon - a.lon)
    expect(east?.properties).toEqual({ parcels: 1 })
    const cellDegrees = 360 / 32 / 2 ** zoom
    expect(Math.abs((east?.lon ?? 0) + 71.105)).toBeLessThanOrEqual(cellDegrees / 2)
    expect(Math.abs((east?.lat ?? 0) - 42.375)).toBeLessThanOrEqual(cellDegrees / 2)
  })

  test.each([0, 4, 9])('at zoom %d each county has one point with its name, and an outline', async (zoom) => {
    const centers = await archive.listPoints(zoom, 'county_centers')
    const named = centers.map(({ properties: { name, parcels, sources } }) => [name, parcels, sources])
    expect(named.sort()).toEqual([
      ['Larkspur, OR', 300, ',sample-county,'],
      ['Middlesex, MA', 1, ',ma,'],
    ])
    const middlesex = centers.find(({ properties }) => properties.name === 'Middlesex, MA')
    expect(middlesex?.properties).toMatchObject({ west: -71.11, south: 42.37, east: -71.1, north: 42.38 })
    expect(middlesex?.lon).toBeCloseTo(-71.105, 1)
    expect(await archive.listLayers(zoom)).toEqual(['counties', 'county_centers', 'parcel_counts'])
  })

  test('the tiles of parcels are the same without an overview', async () => {
    const alone = await build('alone', { minZoom: 11 })
    expect(alone.header.minZoom).toBe(11)
    for (const zoom of [11, 15]) expect(await alone.listLayers(zoom)).toEqual(['parcels'])
    expect(await alone.listParcels(11)).toEqual(await archive.listParcels(11))
  })

  describe('a filter', async () => {
    const listRows = () => sql<Row[]>`
      select source, source_parcel_id as id, owner_name as owner, land_use_class as use, zoning_code as zoning,
        zoning_description as zone, assessed_value::float8 as value, acreage as acres, is_agricultural as farmed,
        updated_at > now() as fresh, retired_at is not null as retired
      from parcels where bbox is not null order by source_parcel_id`
    let parcels: Row[] = []
    beforeAll(async () => {
      await sql`update parcels set retired_at = now() where source = 'sample-county' and source_parcel_id like '%20'`
      await sql`
        update parcels set is_agricultural = true, updated_at = now() + interval '1 day' where source_parcel_id like '%30'`
      await sql`update parcels set owner_name = 'ACME HOLDINGS, L.L.C.' where source_parcel_id like '%40'`
      parcels = await listRows()
    })
    const tomorrow = new Date(Date.now() + 12 * 3_600_000).toISOString()
    const begins = (text: string | null, prefix: string) => text?.toLowerCase().startsWith(prefix) ?? false
    const { id = '', use = '' } = (await listRows())[100] ?? {}

    test.each<
      [name: string, parameters: Record<string, unknown>, filter: Partial<ParcelFilter>, (row: Row) => boolean]
    >([
      ['state', { state: 'MA' }, { state: 'MA' }, ({ source }) => source === 'ma'],
      ['county', { county: 'LARKSPUR' }, { county: 'LARKSPUR' }, ({ source }) => source === 'sample-county'],
      ['source', { source: 'ma' }, { source: 'ma' }, ({ source }) => source === 'ma'],
      ['owner', { owner: 'Acme Holdings LLC' }, { owner: 'Acme Holdings LLC' }, ({ id }) => id.endsWith('40')],
      ['id', { parcel_id: id.replaceAll('-', '') }, { parcelId: id.replaceAll('-', '') }, (row) => row.id === id],
      [
        'land use',
        { land_use: use.toUpperCase() },
        { landUse: use.toUpperCase() },
        (row) => begins(row.use, use.toLowerCase()),
      ],
      [
        'zoning',
        { zoning: 'r' },
        { zoning: 'r' },
        ({ zoning, zone, use }) => [zoning, zone, use].some((text) => begins(text, 'r')),
      ],
      [
        'value',
        { min_value: 200_000, max_value: 400_000 },
        { minValue: 200_000, maxValue: 400_000 },
        ({ value }) => value !== null && value >= 200_000 && value <= 400_000,
      ],
      [
        'acreage',
        { min_acres: 0.1, max_acres: 0.5 },
        { minAcres: 0.1, maxAcres: 0.5 },
        ({ acres }) => acres !== null && acres >= 0.1 && acres <= 0.5,
      ],
      ['agricultural', { agricultural: true }, { isAgricultural: true }, ({ farmed }) => farmed === true],
      ['changed since', { changed_since: tomorrow }, { changedSince: tomorrow }, ({ fresh }) => fresh],
      ['has geometry', { has_geometry: true }, { hasGeometry: true }, () => true],
      ['retired', { retired: true }, { lifecycle: 'retired' }, ({ retired }) => retired],
      ['with retired', { include: 'retired' }, { lifecycle: 'all' }, () => true],
      [
        'several',
        { state: 'OR', max_acres: 1, agricultural: true },
        { state: 'OR', maxAcres: 1, isAgricultural: true },
        ({ source, acres, farmed }) => source === 'sample-county' && farmed === true && acres !== null && acres <= 1,
      ],
    ])(
      '(%s) selects what is drawn and what is counted below, and the metadata names it',
      async (name, parameters, some, meets) => {
        const filter = { ...LISTED_PARCELS, ...some }
        const { metadata, listParcels, listPoints } = await build(`filtered-${name}`, { filter, maxZoom: 10 })
        const expected = parcels.filter((row) => meets(row) && (filter.lifecycle !== 'listed' || !row.retired))
        expect(expected.length).toBeGreaterThan(0)
        expect(metadata).toMatchObject({ filter: parameters })
        const drawn = new Set((await listParcels(10)).map(({ properties }) => properties.source_parcel_id))
        expect([...drawn].sort()).toEqual(expected.map((row) => row.id).sort())
        for (const layer of ['parcel_counts', 'county_centers']) {
          const counted = (await listPoints(4, layer)).reduce(
            (sum, { properties }) => sum + Number(properties.parcels),
            0,
          )
          expect(counted).toBe(expected.length)
        }
      },
    )
  })
})

test('the outlines of all counties do not stay in memory between builds', async () => {
  const program = `
    import { heapStats } from 'bun:jsc'
    import { listCounties } from './tiles-build/overview/county-outlines'
    listCounties([])
    Bun.gc(true)
    console.log(heapStats().objectTypeCounts.Array)`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', program], { cwd: join(import.meta.dir, '../..') })
  // The file has 60,000 arrays.
  expect(Number(stdout.toString())).toBeWithin(1, 20_000)
})
