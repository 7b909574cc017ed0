import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MultiPolygon, Position } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { createLeader } from '../../core/postgres/leader/leader'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSource, insertSource } from '../../drizzle/queries/sources/create-source'
import { listKeptTiles } from '../../drizzle/queries/tiles/kept-tiles'
import { findPublishedTiles } from '../../drizzle/queries/tiles/published-tiles'
import { tileDuty } from '../../drizzle/queries/tiles/tile-builds'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { latToY, lonToX } from '../../tiles-build/encode/project'
import { IDENTITY } from '../../tiles-build/encode/record'
import { gridOf } from '../../tiles-build/encode/simplify'
import { bucketTile } from '../../tiles-build/encode/tile-math'
import { readParcels } from '../../tiles-build/read/read-parcels'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { commandOf } from '../runner/programs'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase } from '../support/servers'
import { type DrawnParcel, readArchive } from './read-archive'

const dir = mkdtempSync(join(tmpdir(), 'tiles-build-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const square = (west: number, south: number, side: number): Position[] => [
  [west, south],
  [west + side, south],
  [west + side, south + side],
  [west, south + side],
  [west, south],
]

const polygonOf = (...rings: Position[][]): { geom: MultiPolygon; bbox: Bbox } => {
  const positions = rings.flat()
  const lons = positions.map(([lon]) => lon as number)
  const lats = positions.map(([, lat]) => lat as number)
  return {
    geom: { type: 'MultiPolygon', coordinates: [rings] },
    bbox: [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)],
  }
}

/** Lots of about 28 by 27 m, in the middle of a tile at zoom 12 and above. */
const GRID_LOTS = 20
const GRID_STEP = 0.00034
const gridLots = Array.from({ length: GRID_LOTS ** 2 }, (_, lot) => {
  const at = (step: number) => Math.round((step % 1000) * 1e7) / 1e7
  const [column, row] = [lot % GRID_LOTS, Math.floor(lot / GRID_LOTS)]
  const corner = (x: number, y: number): Position => [
    at(-120.1137 + (column + x) * GRID_STEP),
    at(43.5012 + (row + y) * GRID_STEP),
  ]
  return {
    sourceParcelId: `lot-${column}-${row}`,
    ...polygonOf([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1), corner(0, 0)]),
  }
})
const specials = [
  {
    sourceParcelId: 'with-hole',
    ...polygonOf(square(-119.5, 43.2, 0.01), square(-119.497, 43.203, 0.004).toReversed()),
    ownerName: 'ÅSA ÖBERG & SÖNER',
    situsAddress: '12 "Quote" St\\n',
    acreage: 12.5,
    isAgricultural: true,
  },
  { sourceParcelId: 'tiny', ...polygonOf(square(-119.4, 43.2, 0.0000002)), ownerName: null },
  {
    sourceParcelId: 'sliver',
    ...polygonOf([
      [-119.39, 43.2],
      [-119.38, 43.2],
      [-119.38, 43.2000001],
      [-119.39, 43.2],
    ]),
  },
  { sourceParcelId: 'forest', ...polygonOf(square(-119.2, 43.0, 0.1)) },
  { sourceParcelId: 'no-geometry', ownerName: 'NOBODY' },
]

const { sql, url } = await createTestDatabase()
await seedSampleCounty(sql, { parcels: 1_500, entities: 0 })
await createSource(sql, { source: 'grid', state: 'OR', countyName: 'Grid', baseUrl: 'https://example.invalid' })
await createSource(sql, { source: 'special', state: 'WA', countyName: 'Special', baseUrl: 'https://example.invalid' })
await upsertParcels(sql, 'grid', gridLots)
await upsertParcels(sql, 'special', specials)

const OPTIONS = DEFAULT_TILE_OPTIONS
const buildFile = async (name: string, options: Partial<typeof OPTIONS> = {}, threads = 2): Promise<string> => {
  const file = join(dir, `${name}.pmtiles`)
  await buildTiles({ ...OPTIONS, ...options }, { databaseUrl: url, to: { file }, workDir: join(dir, 'work'), threads })
  return file
}
const all = await readArchive(await buildFile('all'))
const pathOf = ({ source, source_parcel_id }: Record<string, unknown>): string => `${source}/${source_parcel_id}`

const WORLD_15 = 4096 * 2 ** 15
/** Web Mercator by definition, in tile units of zoom 15. */
const unitsOf = ([lon, lat]: Position): [number, number] => [
  (((lon as number) + 180) / 360) * WORLD_15,
  (0.5 - Math.asinh(Math.tan(((lat as number) * Math.PI) / 180)) / (2 * Math.PI)) * WORLD_15,
]

const distanceToEdge = ([x, y]: [number, number], [ax, ay]: [number, number], [bx, by]: [number, number]): number => {
  const [dx, dy] = [bx - ax, by - ay]
  const along =
    dx === 0 && dy === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - ax - along * dx, y - ay - along * dy)
}
const distanceToRings = (point: [number, number], rings: [number, number][][]): number =>
  Math.min(
    ...rings.flatMap((ring) =>
      ring.map((corner, index) => distanceToEdge(point, corner, ring[(index + 1) % ring.length] as [number, number])),
    ),
  )

/** The sides of a ring within the tile itself, split into parts of a few units: the buffer is cut off. */
const pointsWithinTile = ({ x, y, rings }: DrawnParcel): [number, number][] =>
  rings.flatMap((ring) =>
    ring.flatMap((from, index) => {
      const to = ring[(index + 1) % ring.length] as [number, number]
      const parts = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 16)
      return Array.from({ length: parts }, (_, part): [number, number] => [
        from[0] + ((to[0] - from[0]) * part) / parts,
        from[1] + ((to[1] - from[1]) * part) / parts,
      ]).filter(([px, py]) => px >= x * 4096 && px <= (x + 1) * 4096 && py >= y * 4096 && py <= (y + 1) * 4096)
    }),
  )

describe('what an archive draws', () => {
  test('every parcel with a geometry is in the highest zoom, with its properties', async () => {
    const rows = await sql<Record<string, string | null>[]>`
      select source, source_parcel_id, situs_address, owner_name from parcels where geom is not null`
    const drawn = new Map((await all.listParcels(15)).map((parcel) => [pathOf(parcel.properties), parcel]))
    expect(drawn.size).toBe(rows.length)
    for (const row of rows) {
      const known = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
      expect(drawn.get(pathOf(row))?.properties).toEqual(known as Record<string, string>)
    }
  })

  test('a parcel has the same feature id in every tile and zoom, and hardly any two have the same', async () => {
    const ids = new Map<string, number>()
    for (const zoom of [10, 13, 15]) {
      for (const { properties, featureId } of await all.listParcels(zoom)) {
        const path = pathOf(properties)
        expect(featureId).toBe(ids.get(path) ?? featureId)
        ids.set(path, featureId)
      }
    }
    expect(new Set(ids.values()).size).toBeGreaterThan(ids.size - 2)
    expect(Math.max(...ids.values())).toBeLessThan(2 ** 28)
  })

  test('the parcels of a tile are in the order of their source and id', async () => {
    const tiles = Map.groupBy(await all.listParcels(12), ({ x, y }) => `${x}/${y}`)
    for (const parcels of tiles.values()) {
      const paths = parcels.map(({ properties }) => `${properties.source}\0${properties.source_parcel_id}`)
      expect(paths).toEqual(paths.toSorted())
    }
  })

  test('outlines at the highest zoom are within one unit of the geometry, and the geometry within one unit of them', async () => {
    const rows = await sql<{ id: string; geom: MultiPolygon }[]>`
      select source || '/' || source_parcel_id as id, geom from parcels
      where geom is not null and source_parcel_id not in ('tiny', 'sliver')`
    const geometries = new Map(
      rows.map(({ id, geom }) => [id, geom.coordinates.flat().map((ring) => ring.map(unitsOf))]),
    )
    const corners = new Map([...geometries].map(([id, rings]) => [id, rings.flat().map(() => false)]))
    let worst = 0
    for (const parcel of await all.listParcels(15)) {
      const id = pathOf(parcel.properties)
      const geometry = geometries.get(id)
      if (geometry === undefined) continue
      for (const point of pointsWithinTile(parcel)) worst = Math.max(worst, distanceToRings(point, geometry))
      for (const [index, corner] of geometry.flat().entries()) {
        if (distanceToRings(corner, parcel.rings) <= 1) (corners.get(id) as boolean[])[index] = true
      }
    }
    expect(worst).toBeLessThanOrEqual(1)
    expect([...corners].filter(([, found]) => found.includes(false))).toEqual([])
  })

  test('a parcel smaller than a unit, or thinner, is still drawn at the highest zoom', async () => {
    const drawn = (await all.listParcels(15)).filter(({ properties }) =>
      ['tiny', 'sliver'].includes(properties.source_parcel_id as string),
    )
    expect(new Set(drawn.map(({ properties }) => properties.source_parcel_id))).toEqual(new Set(['tiny', 'sliver']))
  })

  test('a parcel without a boundary is drawn at its point, from the zoom at which house lots are large enough', async () => {
    await createSource(sql, { source: 'pins', state: 'ID', countyName: 'Pins', baseUrl: 'https://example.invalid' })
    await upsertParcels(sql, 'pins', [{ sourceParcelId: 'pin', ownerName: 'ADA ELM', lon: -116.2, lat: 43.6 }])
    const archive = await readArchive(
      await buildFile('pins', { filter: { ...LISTED_PARCELS, state: 'ID' }, minZoom: 10 }),
    )
    for (const zoom of [12, 13, 14, 15]) {
      const [drawn, ...others] = await archive.listPoints(zoom, 'parcels')
      expect(others).toEqual([])
      expect(drawn?.properties).toMatchObject({ source: 'pins', source_parcel_id: 'pin', owner_name: 'ADA ELM' })
      expect(Math.abs((drawn?.lon ?? 0) + 116.2)).toBeLessThan(360 / 4096 / 2 ** zoom)
      expect(Math.abs((drawn?.lat ?? 0) - 43.6)).toBeLessThan(360 / 4096 / 2 ** zoom)
    }
    expect(await archive.listPoints(11, 'parcels')).toEqual([])
    await sql`delete from parcels where source = 'pins'`
  })

  test.each([12, 13, 14, 15])('adjacent lots in a grid share their edges at zoom %d', async (zoom) => {
    const edges = new Map<string, number>()
    const seen = new Set<string>()
    for (const { properties, rings } of await all.listParcels(zoom)) {
      const lot = properties.source_parcel_id as string
      if (!lot.startsWith('lot-') || seen.has(lot)) continue
      seen.add(lot)
      for (const ring of rings) {
        for (const [index, from] of ring.entries()) {
          const edge = [from, ring[(index + 1) % ring.length] as [number, number]].map(String).sort().join(' ')
          edges.set(edge, (edges.get(edge) ?? 0) + 1)
        }
      }
    }
    expect(seen.size).toBe(GRID_LOTS ** 2)
    const shared = [...edges.values()].filter((times) => times === 2).length
    expect(shared).toBe(2 * GRID_LOTS * (GRID_LOTS - 1))
    expect(edges.size - shared).toBe(4 * GRID_LOTS)
  })

  test('areas neither overlap nor separate at any zoom: a town covers the same area at every zoom', async () => {
    const areaOf = (ring: [number, number][]) =>
      ring.reduce((sum, [x, y], index) => {
        const [nextX, nextY] = ring[(index + 1) % ring.length] as [number, number]
        return sum + (x * nextY - nextX * y) / 2
      }, 0)
    for (const zoom of [10, 11, 12, 13]) {
      const lots = new Map<string, number>()
      for (const { properties, rings } of await all.listParcels(zoom)) {
        const lot = properties.source_parcel_id as string
        if (lot.startsWith('lot-'))
          lots.set(
            lot,
            rings.reduce((sum, ring) => sum + areaOf(ring), 0),
          )
      }
      const [west, south, east, north] = [
        ...unitsOf([-120.1137, 43.5012]),
        ...unitsOf([-120.1137 + GRID_LOTS * GRID_STEP, 43.5012 + GRID_LOTS * GRID_STEP]),
      ].map((units) => Math.round(units / 2 ** (15 - zoom) / gridOf(zoom)) * gridOf(zoom)) as [
        number,
        number,
        number,
        number,
      ]
      expect([...lots.values()].reduce((sum, area) => sum + area, 0)).toBe((east - west) * (south - north))
    }
  })

  describe('zooms below those of the buckets', async () => {
    const low = await readArchive(await buildFile('low', { minZoom: 4, maxZoom: 13 }))
    const rows = await sql<{ id: string; geom: MultiPolygon }[]>`
      select source || '/' || source_parcel_id as id, geom from parcels where geom is not null`

    test.each([4, 5, 6, 7, 8, 9])('at zoom %d exactly the parcels that have area on the grid are drawn', async (z) => {
      const cell = (8 * 2 ** 32) / 4096 / 2 ** z
      const areaOf = (ring: Position[]) => {
        const corners = ring.map(([lon, lat]) => [lonToX(lon as number), latToY(lat as number)])
        const snapped = corners.map((corner) => corner.map((step) => Math.round(step / cell)) as [number, number])
        return snapped.reduce((sum, [x, y], index) => {
          const [nextX, nextY] = snapped[(index + 1) % snapped.length] as [number, number]
          return sum + x * nextY - nextX * y
        }, 0)
      }
      const expected = rows.filter(({ geom }) => geom.coordinates.some(([outer]) => areaOf(outer as Position[]) !== 0))
      const drawn = new Set((await low.listParcels(z)).map(({ properties }) => pathOf(properties)))
      expect([...drawn].sort()).toEqual(expected.map(({ id }) => id).sort())
    })

    test('the other zooms are the same without them', async () => {
      const alone = await readArchive(await buildFile('without-low', { minZoom: 10, maxZoom: 13 }))
      for (const z of [10, 11, 12, 13]) expect(await low.listParcels(z)).toEqual(await alone.listParcels(z))
      expect(new Set((await low.listParcels(13)).map(({ properties }) => pathOf(properties))).size).toBe(rows.length)
    })

    test('parcels that they cannot show are not in their buckets', async () => {
      const records = new Map<number, number>()
      const count = (bucket: number) => {
        const { z } = bucketTile(bucket)
        records.set(z, (records.get(z) ?? 0) + 1)
      }
      await readParcels(
        sql,
        { firstBlock: 0, blocks: 100_000 },
        {
          columns: IDENTITY,
          minZoom: 4,
          baseZoom: 10,
          maxZoom: 13,
          filter: { filter: LISTED_PARCELS, sources: ['grid'] },
        },
        { add: count, end: () => [] },
      )
      expect(records.get(10)).toBe(GRID_LOTS ** 2)
      // Lots of 38 Mercator units; a cell has 306. One in 64 spans a corner of cells.
      expect(records.get(8)).toBeGreaterThan(0)
      expect(records.get(8)).toBeLessThan(GRID_LOTS ** 2 / 8)
      expect(records.has(4)).toBe(false)
    })

    test('a parcel on both sides of the antimeridian is in no bucket between them, and once in each of its buckets', async () => {
      const buckets: string[] = []
      const add = (bucket: number) => {
        const { z, x, y } = bucketTile(bucket)
        buckets.push(`${z}/${x}/${y}`)
      }
      const island: MultiPolygon = {
        type: 'MultiPolygon',
        coordinates: [[square(179, 51, 1)], [square(-180, 51, 1)], [square(-179, 51, 1)]],
      }
      const read = sql.begin(async (tx) => {
        await insertSource(tx, { source: 'line', state: 'AK', countyName: 'Line', baseUrl: 'https://example.invalid' })
        await upsertParcels(tx, 'line', [{ sourceParcelId: 'island', geom: island, bbox: [-180, 51, 180, 52] }])
        await readParcels(
          tx,
          { firstBlock: 0, blocks: 100_000 },
          {
            ...{ columns: IDENTITY, minZoom: 0, baseZoom: 10, maxZoom: 13 },
            filter: { filter: LISTED_PARCELS, sources: ['line'] },
          },
          { add, end: () => [] },
        )
        throw new Error('undo')
      })
      await expect(read).rejects.toThrow('undo')
      expect(new Set(buckets).size).toBe(buckets.length)
      const columnsOf = (zoom: number) => [
        ...new Set(buckets.filter((tile) => tile.startsWith(`${zoom}/`)).map((tile) => Number(tile.split('/')[1]))),
      ]
      expect(columnsOf(0)).toEqual([0])
      expect(columnsOf(6).sort()).toEqual([0, 63])
      expect(columnsOf(10).filter((column) => column > 5 && column < 1021)).toEqual([])
    })
  })

  test('holes are kept at every zoom, with the opposite winding of their outline', async () => {
    for (const zoom of [10, 11, 12]) {
      const drawn = (await all.listParcels(zoom)).find(({ properties }) => properties.source_parcel_id === 'with-hole')
      expect(drawn?.rings).toHaveLength(2)
    }
    const rings = (await all.listParcels(15))
      .filter(({ properties }) => properties.source_parcel_id === 'with-hole')
      .flatMap((parcel) => pointsWithinTile(parcel))
    const [holeX, holeY] = unitsOf([-119.497, 43.203])
    expect(rings.some(([x, y]) => Math.hypot(x - holeX, y - holeY) < 1)).toBe(true)
  })

  test('equal tiles are stored once', () => {
    // Inside the forest, all tiles are equal.
    expect(all.header.numAddressedTiles).toBe(all.tileIds.length)
    expect(all.header.numTileContents).toBeLessThan(all.header.numAddressedTiles)
    expect(all.header.numTileEntries).toBeLessThanOrEqual(all.header.numAddressedTiles)
  })

  test('the metadata has the layer, its fields and the attribution; the header has the bounds', async () => {
    expect(all.metadata).toMatchObject({
      name: 'parcels',
      attribution: OPTIONS.attribution,
      vector_layers: [
        { id: 'parcels', minzoom: 10, maxzoom: 15, fields: { source: 'String', owner_name: 'String' } },
        { id: 'counties' },
        { id: 'county_centers' },
        { id: 'parcel_counts' },
      ],
    })
    const [row] = await sql<{ box: number[] }[]>`
      select array[min((bbox[1])[0]), min((bbox[1])[1]), max((bbox[0])[0]), max((bbox[0])[1])] as box from parcels`
    const { minLon, minLat, maxLon, maxLat } = all.header
    for (const [side, degrees] of [minLon, minLat, maxLon, maxLat].entries()) {
      expect(degrees).toBeCloseTo(row?.box[side] as number, 6)
    }
  })

  test('zooms, layer, properties and a state can be chosen', async () => {
    const file = await buildFile('chosen', {
      layer: 'lots',
      minZoom: 12,
      maxZoom: 13,
      properties: ['source_parcel_id', 'acreage', 'is_agricultural'],
      filter: { ...LISTED_PARCELS, state: 'WA' },
    })
    const { listParcels, metadata, header } = await readArchive(file)
    expect([header.minZoom, header.maxZoom]).toEqual([12, 13])
    expect(metadata).toMatchObject({
      vector_layers: [{ id: 'lots', fields: { acreage: 'Number', is_agricultural: 'Boolean' } }],
    })
    const drawn = new Map((await listParcels(13)).map(({ properties }) => [properties.source_parcel_id, properties]))
    expect([...drawn.keys()].sort()).toEqual(['forest', 'sliver', 'tiny', 'with-hole'])
    expect(drawn.get('with-hole')).toEqual({ source_parcel_id: 'with-hole', acreage: 12.5, is_agricultural: true })
  })
})

describe('building', () => {
  test('the same rows give the same bytes, for any number of threads', async () => {
    const one = readFileSync(await buildFile('one', {}, 1))
    const three = readFileSync(await buildFile('three', {}, 3))
    expect(one.equals(three)).toBe(true)
    expect(one.equals(readFileSync(join(dir, 'all.pmtiles')))).toBe(true)
  })

  const storeDir = join(dir, 'store')
  /** Each test has its own layer, so that one failure does not fail the others. */
  const publish = (layer: string) =>
    buildTiles(
      { ...OPTIONS, layer, sources: ['grid'], maxZoom: 11 },
      { databaseUrl: url, to: createTileStore(storeDir), workDir: join(dir, 'work'), threads: 1 },
    )
  const rename = (name: string) => sql`update parcels set owner_name = ${name} where source = 'grid'`
  const stored = (layer: string) =>
    readdirSync(join(storeDir, layer))
      .map((file) => file.replace('.pmtiles', ''))
      .sort()

  test('a build is published under its hash, and makes no new archive if nothing changed', async () => {
    const first = await publish('published')
    expect(first).toMatchObject({ isNew: true, parcels: GRID_LOTS ** 2 })
    expect(await findPublishedTiles(sql, 'published')).toMatchObject({ hash: first.hash, size_bytes: first.sizeBytes })
    const bytes = readFileSync(join(storeDir, 'published', `${first.hash}.pmtiles`))
    expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)).toBe(first.hash)

    expect(await publish('published')).toMatchObject({ isNew: false, hash: first.hash })
    const rows = await sql`select status from tile_builds where layer = 'published'`
    expect(rows.map(({ status }) => status)).toEqual(['published'])
    expect(readdirSync(join(dir, 'work'))).toEqual([])
  })

  test('a store that lost its archive gets it again', async () => {
    await publish('lost')
    const published = await findPublishedTiles(sql, 'lost')
    rmSync(join(storeDir, 'lost'), { recursive: true })
    expect(await publish('lost')).toMatchObject({ isNew: true, hash: published?.hash })
    expect(stored('lost')).toEqual([published?.hash as string])
  })

  test('old archives stay for a day; after that the last two stay', async () => {
    const hashes: string[] = []
    for (const name of ['A', 'B', 'C', 'D']) {
      await rename(name)
      hashes.push((await publish('kept')).hash)
    }
    expect(stored('kept')).toEqual(hashes.toSorted())
    const age = (hours: number) =>
      sql`update tile_builds set retired_at = retired_at - ${hours} * interval '1 hour' where layer = 'kept' and status = 'retired'`
    await age(23)
    await publish('kept')
    expect(stored('kept')).toEqual(hashes.toSorted())
    await age(2)
    await publish('kept')
    expect(stored('kept')).toEqual(hashes.slice(1).toSorted())
  })

  test('archives of another database in the same store stay', async () => {
    const others = 'f'.repeat(16)
    await publish('shared')
    writeFileSync(join(storeDir, 'shared', `${others}.pmtiles`), 'archive')
    await rename('E')
    await publish('shared')
    expect(stored('shared')).toContain(others)
  })

  test('a second build of the layer says that one runs, and stops', async () => {
    const other = createLeader(url, tileDuty('contended'))
    try {
      expect(await other.lead()).not.toBeNull()
      await expect(publish('contended')).rejects.toMatchObject({ code: 'build_running' })
      await publish('another')
    } finally {
      await other.stop()
    }
    await publish('contended')
  })

  test('a build without parcels is refused, and the published archive stays', async () => {
    await publish('emptied')
    const before = await findPublishedTiles(sql, 'emptied')
    await createSource(sql, { source: 'empty', state: 'NV', countyName: 'Empty', baseUrl: 'https://example.invalid' })
    const build = buildTiles(
      { ...OPTIONS, layer: 'emptied', sources: ['empty'] },
      { databaseUrl: url, to: createTileStore(storeDir), workDir: join(dir, 'work') },
    )
    await expect(build).rejects.toMatchObject({ code: 'not_found' })
    expect(await findPublishedTiles(sql, 'emptied')).toEqual(before)
    const [last] = await sql`select status, error_message from tile_builds order by id desc limit 1`
    expect(last).toMatchObject({ status: 'failed', error_message: expect.stringContaining('nothing to draw') })
  })

  const KILLS = 8
  test('killed at eight moments: manifest and archive are valid after each, and the next build removes all leftovers', async () => {
    const dataDir = join(dir, 'killed')
    mkdirSync(dataDir)
    const start = () =>
      Bun.spawn(commandOf('src/cli/tiles-build.ts', '--layer', 'killed'), {
        env: { ...process.env, DATABASE_URL: url, MEILI_URL: 'http://127.0.0.1:1', DATA_DIR: dataDir, TILES_URL: '' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    /** How long the last whole build took. It changes with the load of the machine. */
    let wholeMs = 0
    /** Whether the build was killed before it ended. */
    const runUntil = async (atMs: number): Promise<boolean> => {
      const startedAt = performance.now()
      const build = start()
      await Promise.race([build.exited, Bun.sleep(atMs)])
      build.kill('SIGKILL')
      await build.exited
      if (build.signalCode === 'SIGKILL') return true
      expect(build.exitCode).toBe(0)
      wholeMs = performance.now() - startedAt
      return false
    }
    expect(await runUntil(TEST_TIMEOUT_MS)).toBe(false)
    const publishedHash = async () => (await findPublishedTiles(sql, 'killed'))?.hash ?? ''
    const hashes = new Set([await publishedHash()])
    let killed = 0
    for (let build = 0; killed < KILLS; build++) {
      await rename(`OWNER ${build}`)
      // Spread over the build, so that each of its stages is hit. One that ended earlier is not counted.
      if (await runUntil(wholeMs * (0.3 + (0.7 * (killed + Math.random())) / KILLS))) killed++
      // The next build need not wait for the dead one's lease.
      await sql`update leaders set expires_at = clock_timestamp() where duty = ${tileDuty('killed')}`

      const published = await findPublishedTiles(sql, 'killed')
      if (published === null) throw new Error('the manifest is gone')
      const file = join(dataDir, 'tiles', 'killed', `${published.hash}.pmtiles`)
      const bytes = readFileSync(file)
      expect(bytes.length).toBe(published.size_bytes)
      expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)).toBe(published.hash)
      hashes.add(published.hash)
    }

    await sql`update tile_builds set retired_at = retired_at - interval '25 hours' where layer = 'killed' and status = 'retired'`
    expect(await start().exited).toBe(0)
    expect(readdirSync(join(dataDir, 'tiles-build'))).toEqual([])
    hashes.add(await publishedHash())
    const kept = await listKeptTiles(sql, 'killed', 2)
    expect(kept).toHaveLength(Math.min(3, hashes.size))
    expect(readdirSync(join(dataDir, 'tiles', 'killed')).sort()).toEqual(kept.map((hash) => `${hash}.pmtiles`).sort())
    const building = await sql`select from tile_builds where layer = 'killed' and status = 'building'`
    expect(building).toHaveLength(0)
  })
})
