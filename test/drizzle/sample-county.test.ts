import { expect, test } from 'bun:test'
import type { Position } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { SAMPLE_SOURCE, sampleEntities, sampleParcels } from '../../dev/sample-county/county'
import { hasSampleCounty, seedSampleCounty } from '../../dev/sample-county/load'
import type { ParcelInput } from '../../drizzle/records'
import { createTestDatabase } from '../support/servers'

const hash = (rows: Iterable<unknown>) => {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const row of rows) hasher.update(JSON.stringify(row))
  return hasher.digest('hex')
}

/** Positions as integers on the grid of 1e-7 degrees, from a corner of the county. They are small enough for exact products. */
type Point = [x: number, y: number]
const onGrid = ([lon, lat]: Position): Point => [
  Math.round(((lon as number) + 120.5) * 1e7),
  Math.round(((lat as number) - 43.9) * 1e7),
]
const turn = (a: Point, b: Point, c: Point) => Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
const edgesOf = (ring: Point[]) => ring.slice(1).map((to, at) => [ring[at] as Point, to] as const)
const ringsOf = (parcel: ParcelInput) => (parcel.geom?.coordinates ?? []).flat().map((ring) => ring.map(onGrid))
const isWithin = ([lon, lat]: Position, [west, south, east, north]: Bbox) =>
  west < (lon as number) && (lon as number) < east && south < (lat as number) && (lat as number) < north
/** Uses the even-odd rule. A point on the border is not inside. */
const isInside = (point: Point, rings: Point[][]) => {
  let inside = false
  for (const [a, b] of rings.flatMap(edgesOf)) {
    const side = turn(a, b, point)
    const spans = a[1] > point[1] !== b[1] > point[1]
    const between = (a[0] - point[0]) * (b[0] - point[0]) <= 0 && (a[1] - point[1]) * (b[1] - point[1]) <= 0
    if (side === 0 && between) return false
    if (spans && side > 0 === b[1] > a[1]) inside = !inside
  }
  return inside
}
const signedArea = (ring: Position[]) => {
  const [x0, y0] = ring[0] as [number, number]
  const shifted = ring.map(([x, y]) => [(x as number) - x0, (y as number) - y0] as Point)
  return edgesOf(shifted).reduce((sum, [a, b]) => sum + a[0] * b[1] - b[0] * a[1], 0) / 2
}

const TOWN = [...sampleParcels({ parcels: 5_000 })]

test('the same seed gives the same county, another seed gives another, and a larger county begins with the smaller one', () => {
  const small = hash(sampleParcels({ parcels: 7_000 }))
  expect(hash(sampleParcels({ parcels: 7_000 }))).toBe(small)
  expect(hash(sampleParcels({ parcels: 9_000 }).take(7_000))).toBe(small)
  expect(hash(sampleParcels({ parcels: 7_000, seed: 2 }))).not.toBe(small)
  expect(hash(sampleEntities({ entities: 300 }))).toBe(hash(sampleEntities({ entities: 400 }).take(300)))
})

test('ids are unique among 50,000 parcels, addresses within their town, and names among 50,000 companies', () => {
  const parcels = [...sampleParcels({ parcels: 50_000 })]
  expect(new Set(parcels.map((parcel) => parcel.sourceParcelId)).size).toBe(50_000)
  const addresses = parcels.flatMap(({ situsAddress, situsCity }) =>
    situsAddress ? [`${situsAddress}, ${situsCity}`] : [],
  )
  expect(addresses.length - new Set(addresses).size).toBe(0)
  expect(new Set(sampleEntities({ entities: 50_000 }).map((entity) => entity.name)).size).toBe(50_000)
})

test('every geometry is a MultiPolygon as in RFC 7946: closed rings, outer ones counterclockwise, holes clockwise, 7 decimals', () => {
  for (const { geom, bbox, sourceParcelId } of sampleParcels({ parcels: 20_000 })) {
    expect(geom?.type).toBe('MultiPolygon')
    const corners = geom?.coordinates.flat(2) ?? []
    for (const polygon of geom?.coordinates ?? []) {
      polygon.forEach((ring, at) => {
        if (ring.length < 4 || `${ring[0]}` !== `${ring.at(-1)}`)
          throw new Error(`${sourceParcelId}: a ring is not closed`)
        if (signedArea(ring) > 0 !== (at === 0)) throw new Error(`${sourceParcelId}: ring ${at} runs the wrong way`)
      })
    }
    if (corners.flat().some((degrees) => degrees !== Number(degrees.toFixed(7))))
      throw new Error(`${sourceParcelId}: digits`)
    const lons = corners.map(([lon]) => lon as number)
    const lats = corners.map(([, lat]) => lat as number)
    expect(bbox).toEqual([Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)])
  }
})

test('neighbors share their edges exactly, and no two lots overlap', () => {
  const owners = new Map<string, number>()
  const cells = new Map<string, { lot: number; edge: readonly [Point, Point] }[]>()
  const CELL = 20_000
  TOWN.forEach((parcel, lot) => {
    for (const edge of ringsOf(parcel).flatMap(edgesOf)) {
      // An edge that occurs twice in the same direction has two lots on its left side.
      const key = edge.join(' ')
      expect(owners.has(key)).toBe(false)
      owners.set(key, lot)
      const [[ax, ay], [bx, by]] = edge
      for (let x = Math.floor(Math.min(ax, bx) / CELL); x <= Math.floor(Math.max(ax, bx) / CELL); x++) {
        for (let y = Math.floor(Math.min(ay, by) / CELL); y <= Math.floor(Math.max(ay, by) / CELL); y++) {
          const found = cells.get(`${x} ${y}`)
          if (found) found.push({ lot, edge })
          else cells.set(`${x} ${y}`, [{ lot, edge }])
        }
      }
    }
  })
  const shared = [...owners.keys()].filter((key) => owners.has(key.split(' ').reverse().join(' '))).length
  expect(shared / owners.size).toBeGreaterThan(0.5)

  // If no edges cross, lots can only overlap if a corner of one is inside another.
  const outlines = TOWN.map((parcel) => ({ rings: ringsOf(parcel), bbox: parcel.bbox as Bbox }))
  const inside = TOWN.flatMap(({ geom, sourceParcelId }) =>
    (geom?.coordinates.flat(2) ?? []).flatMap((corner) =>
      outlines.some(({ rings, bbox }) => isWithin(corner, bbox) && isInside(onGrid(corner), rings))
        ? [sourceParcelId]
        : [],
    ),
  )
  expect(inside).toEqual([])

  const crossings: string[] = []
  for (const edges of cells.values()) {
    edges.forEach(({ lot, edge: [a, b] }, at) => {
      for (const {
        lot: other,
        edge: [c, d],
      } of edges.slice(at + 1)) {
        if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) {
          crossings.push(`${TOWN[lot]?.sourceParcelId} and ${TOWN[other]?.sourceParcelId}`)
        }
      }
    })
  }
  expect(crossings).toEqual([])
})

test('acreage is the area of the polygon, within 1%', () => {
  const degreeM = (6_371_008.8 * Math.PI) / 180
  for (const { geom, acreage } of TOWN) {
    const areaSqM = (geom?.coordinates.flat() ?? []).reduce((sum, ring) => {
      const cosLat = Math.cos(((ring[0]?.[1] as number) * Math.PI) / 180)
      return sum + signedArea(ring) * degreeM * degreeM * cosLat
    }, 0)
    expect(Math.abs((acreage as number) / (areaSqM / 4046.8564224) - 1)).toBeLessThan(0.01)
  }
})

test('there are farms of 20 to 160 acres, lots split in two, holes with a lot inside, shops, parks and condominiums', () => {
  const count = (holds: (parcel: ParcelInput) => boolean) => TOWN.filter(holds).length
  const farms = TOWN.filter((parcel) => parcel.isAgricultural)
  expect(farms.length).toBeGreaterThan(100)
  for (const { acreage, zoningCode, landUseClass } of farms) {
    expect({ zoningCode, landUseClass }).toEqual({ zoningCode: 'EFU', landUseClass: 'Farm' })
    expect(acreage).toBeWithin(18, 161)
  }
  expect(count(({ geom }) => geom?.coordinates.length === 2)).toBeGreaterThan(10)
  // The lot in a hole is the next parcel. For the last parcel, that one may be beyond the requested number.
  const holes = TOWN.slice(0, -1).flatMap((parcel) =>
    (parcel.geom?.coordinates ?? []).flatMap((polygon) => polygon.slice(1)),
  )
  expect(holes.length).toBeGreaterThan(10)
  const lots = new Set(TOWN.flatMap((parcel) => ringsOf(parcel).map((ring) => JSON.stringify(ring))))
  for (const hole of holes) expect(lots).toContain(JSON.stringify(hole.map(onGrid).toReversed()))
  for (const landUse of ['Commercial', 'Park', 'Condominium', 'Industrial', 'Public facility', 'Vacant land']) {
    expect(count((parcel) => parcel.landUseClass === landUse)).toBeGreaterThan(5)
  }
})

test('the assessed value is land plus improvement, in whole dollars', () => {
  for (const { assessedValue, valueLand, valueImprovement } of TOWN) {
    expect(assessedValue).toBe((valueLand as number) + (valueImprovement as number))
    expect(Number.isInteger(valueLand) && (valueLand as number) > 0).toBe(true)
  }
})

test('house numbers increase along a street, with even numbers on one side and odd ones on the other', () => {
  const main = TOWN.filter(({ situsAddress }) => /^\d+ E MAIN ST$/.test(situsAddress ?? ''))
    .map(({ situsAddress, bbox }) => ({
      number: Number.parseInt(situsAddress as string, 10),
      west: bbox?.[0] as number,
    }))
    .sort((a, b) => a.number - b.number)
  expect(main.length).toBeGreaterThan(30)
  for (const side of [0, 1]) {
    const wests = main.filter(({ number }) => number % 2 === side).map(({ west }) => west)
    expect(wests).toEqual(wests.toSorted((a, b) => a - b))
  }
})

test('a seeded county has its source, its policy and linked companies, and seeding it again writes nothing', async () => {
  const { sql } = await createTestDatabase()
  const seen: number[] = []
  const first = await seedSampleCounty(sql, { parcels: 5_000, entities: 300, onProgress: (done) => seen.push(done) })
  expect(first.parcels).toEqual({ inserted: 5_000, updated: 0, unchanged: 0 })
  expect(first.entities).toEqual({ inserted: 300, updated: 0, unchanged: 0 })
  expect(seen.at(-1)).toBe(5_000)
  const [counts] = await sql`
    select (select count(*)::int from entities where linked_parcel_count > 0) as owning,
      (select count(*)::int from sources natural join source_refresh_policies where source = ${SAMPLE_SOURCE.source}) as sources`
  expect(counts?.owning).toBeGreaterThan(150)
  expect(counts?.sources).toBe(1)

  await sql`delete from search_outbox`
  const second = await seedSampleCounty(sql, { parcels: 5_000, entities: 300 })
  expect(second.parcels).toEqual({ inserted: 0, updated: 0, unchanged: 5_000 })
  expect(second.entities).toEqual({ inserted: 0, updated: 0, unchanged: 300 })
  expect((await sql`select count(*)::int as n from search_outbox`)[0]?.n).toBe(0)
})

test('a county that is stored in full is recognized, even if some of its parcels are retired', async () => {
  const { sql } = await createTestDatabase()
  await seedSampleCounty(sql, { parcels: 60, entities: 0 })
  await sql`update parcels set retired_at = now() where source_parcel_id = (select min(source_parcel_id) from parcels)`
  expect(await hasSampleCounty(sql, 60)).toBe(true)
  expect(await hasSampleCounty(sql, 61)).toBe(false)
})
