import { describe, expect, test } from 'bun:test'
import type { MultiPolygon, Position } from 'geojson'
import { bboxOf } from '../../../../core/geometry/bbox'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { startProcessorClock } from '../../../support/processor-clock'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)

/** About 11 m. */
const STEP = 0.0001
const rectangle = (west: number, south: number, east: number, north: number): Position[] =>
  [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ].map(([x = 0, y = 0]) => [x * STEP, y * STEP])
const parcelOf = (sourceParcelId: string, ...rings: Position[][]) => {
  const geom: MultiPolygon = { type: 'MultiPolygon', coordinates: [rings] }
  return { sourceParcelId, geom, bbox: bboxOf(geom) }
}

/* From west to east: a lot with a lot inside it, its neighbor, a lot behind a street, and one that touches a corner. */
await upsertParcels(sql, 'elm', [
  parcelOf('common', rectangle(0, 0, 10, 10)),
  parcelOf('unit', rectangle(2, 2, 4, 4)),
  parcelOf('unit above', rectangle(2, 2, 4, 4)),
  parcelOf('ring', rectangle(10, 0, 20, 10), rectangle(13, 3, 17, 7).toReversed()),
  parcelOf('across', rectangle(22, 0, 30, 10)),
  parcelOf('corner', rectangle(20, 10, 25, 15)),
  { sourceParcelId: 'bare' },
])

const listed = ({ status, body }: Awaited<ReturnType<typeof call>>): string[] => {
  if (status !== 200) throw new Error(`${status}: ${body.error}`)
  return body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id)
}
const at = (x: number, y: number) => `${x * STEP},${y * STEP}`

describe('at a point', () => {
  test('the parcels that contain it are listed, the smallest first, and a point in a hole is not contained', async () => {
    expect(
      listed(await call(`/v1/parcels?at=${at(3, 3)}`))
        .slice(0, 2)
        .toSorted(),
    ).toEqual(['unit', 'unit above'])
    expect(listed(await call(`/v1/parcels?at=${at(3, 3)}`))[2]).toBe('common')
    expect(listed(await call(`/v1/parcels?at=${at(15, 5)}`))).toEqual([])
    expect(listed(await call(`/v1/parcels?at=${at(11, 5)}`))).toEqual(['ring'])
    expect(listed(await call(`/v1/parcels?at=${at(21, 5)}`))).toEqual([])
  })

  test('pages by `after` return each of several stacked lots once', async () => {
    const seen: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const { body } = await call(`/v1/parcels?at=${at(3, 3)}&limit=1&after=${after}`.replace(/&after=$/, ''))
      seen.push(...body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id))
      after = body.next
    }
    expect(seen).toEqual(listed(await call(`/v1/parcels?at=${at(3, 3)}`)))
  })

  test('filters and fields apply', async () => {
    const { body } = await call(`/v1/parcels?at=${at(11, 5)}&fields=bbox&geometry=full`)
    expect(body.parcels).toEqual([
      {
        id: expect.any(String),
        source: 'elm',
        source_parcel_id: 'ring',
        bbox: expect.any(Array),
        geom_geojson: expect.objectContaining({ type: 'MultiPolygon' }),
      },
    ])
    expect(listed(await call(`/v1/parcels?at=${at(11, 5)}&parcel_id=unit`))).toEqual([])
  })
})

describe('near a point', () => {
  test('the nearest come first, with their distance', async () => {
    const { body } = await call(`/v1/parcels?near=${at(21.4, 5)}&within=30m`)
    expect(body.parcels.map((row: Record<string, unknown>) => [row.source_parcel_id, row.distance_m])).toEqual([
      ['across', 6.67],
      ['ring', 15.57],
    ])
    expect(listed(await call(`/v1/parcels?near=${at(21, 5)}&within=0.06km&limit=3`))[2]).toBe('corner')
    expect(listed(await call(`/v1/parcels?near=${at(15, 5)}&within=20m`))).toEqual([])
    expect(listed(await call(`/v1/parcels?near=${at(15, 5)}&within=80ft`))).toEqual(['ring'])
    expect(listed(await call(`/v1/parcels?near=${at(11, 5)}&within=1mi`))[0]).toBe('ring')
  })

  test.each([1, 2, 3, 5])('pages of %d have each parcel once, in order', async (limit) => {
    const whole = listed(await call(`/v1/parcels?near=${at(3, 3)}&within=1km`))
    expect(whole.length).toBe(6)
    const seen: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const { body } = await call(
        `/v1/parcels?near=${at(3, 3)}&within=1km&limit=${limit}&after=${after}`.replace(/&after=$/, ''),
      )
      seen.push(...body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id))
      after = body.next
    }
    expect(seen).toEqual(whole)
  })

  test('the `next` of a page is refused in a list by source and id, whose cursors look like it', async () => {
    const { next } = (await call(`/v1/parcels?near=${at(3, 3)}&within=1km&limit=1`)).body
    expect(next).toBeString()
    for (const list of ['source=elm', 'source=elm&sort=acreage']) {
      expect(await call(`/v1/parcels?${list}&after=${encodeURIComponent(next)}`)).toMatchObject({ status: 400 })
    }
  })

  test('a circle across the antimeridian has the parcels on both sides', async () => {
    await insertCounty(sql, 'far')
    const shifted = (id: string, by: number) => {
      const ring = rectangle(0, 0, 1, 1).map(([x = 0, y = 0]): Position => [Number((x + by).toFixed(6)), y])
      return parcelOf(id, ring)
    }
    await upsertParcels(sql, 'far', [shifted('east', 179.9995), shifted('west', -179.9998)])
    expect(listed(await call('/v1/parcels?near=180,0&within=100m'))).toEqual(['west', 'east'])
    expect(listed(await call('/v1/parcels?near=-179.9999,0&within=15m'))).toEqual(['west'])
  })
})

describe('within an area', () => {
  const area = (...rings: Position[][]) => ({ type: 'Polygon', coordinates: rings })
  const post = (body: unknown, query = '') => call(`/v1/parcels/within${query}`, { method: 'POST', body })

  test('parcels meet it or are within it as a whole; its holes are respected', async () => {
    const body = area(rectangle(-1, -1, 20, 11))
    expect(listed(await post(body)).toSorted()).toEqual(['common', 'corner', 'ring', 'unit', 'unit above'])
    expect(listed(await post(body, '?relation=within')).toSorted()).toEqual(['common', 'ring', 'unit', 'unit above'])
    const holed = area(rectangle(-1, -1, 20, 11), rectangle(1, 1, 5, 5).toReversed())
    expect(listed(await post(holed)).toSorted()).toEqual(['common', 'corner', 'ring'])
    expect(listed(await post(holed, '?relation=within'))).toEqual(['ring'])
    const exact = area(rectangle(10, 0, 20, 10), rectangle(13, 3, 17, 7).toReversed())
    expect(listed(await post(exact, '?relation=within'))).toEqual(['ring'])
  })

  test('a parcel that fills a hole of the area is not within it', async () => {
    const holed = area(rectangle(-1, -1, 20, 11), rectangle(2, 2, 4, 4).toReversed())
    expect(listed(await post(holed)).toSorted()).toEqual(['common', 'corner', 'ring', 'unit', 'unit above'])
    expect(listed(await post(holed, '?relation=within'))).toEqual(['ring'])
  })

  test.each(['bbox=0,0,1,1', 'at=0,0', 'near=0,0&within=1m', 'within=1m', 'as_of=2026-01-01'])(
    '%s beside it is refused',
    async (query) => {
      const { status, body } = await post(area(rectangle(-1, -1, 20, 11)), `?${query}`)
      expect([status, body.error]).toEqual([400, `the area cannot be combined with ${query.split('=')[0]}`])
    },
  )

  test.each(['bbox=0,0,1,1', 'at=0,0', 'near=0,0', 'as_of=2026-01-01', 'source=elm'])(
    '%s beside the parcel of neighbors is refused',
    async (query) => {
      const { status, body } = await call(`/v1/parcels/elm/common/neighbors?${query}`)
      expect([status, body.error]).toEqual([400, `the parcel cannot be combined with ${query.split('=')[0]}`])
    },
  )

  test('the bounding box that GeoJSON may have is ignored', async () => {
    const body = { ...area(rectangle(-1, -1, 20, 11)), bbox: [0, 0, 0, 0] }
    expect(listed(await post(body)).toSorted()).toEqual(['common', 'corner', 'ring', 'unit', 'unit above'])
    expect((await post({ ...body, bbox: 'all' })).body).toEqual({ error: 'bbox must be an array of 4 to 6 items' })
  })

  test('polygons that touch or overlap are one area', async () => {
    for (const west of [5, 3]) {
      const body = { type: 'MultiPolygon', coordinates: [[rectangle(-1, -1, 5, 11)], [rectangle(west, -1, 12, 11)]] }
      expect(listed(await post(body, '?relation=within')).toSorted()).toEqual(['common', 'unit', 'unit above'])
    }
  })

  test('an edge that may cross the antimeridian is refused, and an area with a part on each side is accepted', async () => {
    const line = [
      [170, -10],
      [-170, -10],
      [-170, 10],
      [170, 10],
      [170, -10],
    ]
    expect(await post(area(line))).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('cut it at the antimeridian into a MultiPolygon') },
    })
    const side = (west: number, east: number) => [
      [
        [west, -10],
        [east, -10],
        [east, 10],
        [west, 10],
        [west, -10],
      ],
    ]
    const body = { type: 'MultiPolygon', coordinates: [side(170, 180), side(-180, -170)] }
    expect(listed(await post(body)).toSorted()).toEqual(['east', 'west'])
    // An edge over all longitudes does not go around the other side of the Earth.
    expect(listed(await post({ type: 'Polygon', coordinates: side(-180, 180) }))).toContain('common')
  })

  test('an area may be anywhere on Earth, wherever its ring begins', async () => {
    const corners = [
      [-180, -90],
      [180, -90],
      [180, 90],
      [-180, 90],
    ]
    const everywhere = (await call('/v1/parcels?bbox=-180,-90,180,90')).body.count
    for (const start of corners.keys()) {
      const ring = [...corners.slice(start), ...corners.slice(0, start), corners[start] ?? []]
      expect(await post(area(ring))).toMatchObject({ status: 200, body: { count: everywhere } })
    }
    const antarctic = corners.map(([lon = 0, lat = 0]) => [lon / 2, lat > 0 ? -61 : lat])
    expect(await post(area([...antarctic, antarctic[0] ?? []]))).toMatchObject({ status: 200, body: { count: 0 } })
  })

  test('filters, order and pages apply', async () => {
    const body = area(rectangle(-100, -100, 100, 100))
    const first = (await post(body, '?limit=4&sort=source_parcel_id')).body
    expect(first).toMatchObject({ count: 4, next: 'elm/ring' })
    expect(listed(await post(body, `?limit=4&sort=source_parcel_id&after=${first.next}`))).toEqual([
      'unit',
      'unit above',
    ])
    expect(listed(await post(body, '?parcel_id=ring'))).toEqual(['ring'])
  })

  test('an area of 10,000 positions is understood, and a larger one is refused', async () => {
    const circle = (count: number) =>
      area(
        Array.from({ length: count }, (_, index) => {
          const angle = (2 * Math.PI * (index % (count - 1))) / (count - 1)
          return [0.0005 + 0.01 * Math.cos(angle), 0.0005 + 0.01 * Math.sin(angle)]
        }),
      )
    expect(listed(await post(circle(10_000), '?relation=within')).length).toBe(6)
    expect(await post(circle(10_001))).toMatchObject({
      status: 400,
      body: { error: 'the area has 10001 positions, more than 10000' },
    })
  })

  test.each([
    [{ type: 'Point', coordinates: [1, 1] }, 'type must be one of Polygon, MultiPolygon'],
    [
      area([
        [0, 0],
        [1, 1],
      ]),
      'the area: ',
    ],
    [
      area([
        [0, 0],
        [200, 1],
        [1, 1],
        [0, 0],
      ]),
      'the area must be a GeoJSON Polygon or MultiPolygon with',
    ],
    [[], 'body must be a GeoJSON Polygon or MultiPolygon'],
  ])('%j is refused: %s', async (body, error) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } })
  })
})

describe('neighbors', () => {
  const neighborsOf = async (id: string, query = '') => {
    const { body } = await call(`/v1/parcels/elm/${id}/neighbors${query}`)
    return body.parcels.map((row: Record<string, unknown>) => [row.source_parcel_id, row.distance_m, row.shared_edge_m])
  }

  test('share an edge; a common corner is not enough', async () => {
    expect(await neighborsOf('ring')).toEqual([['common', 0, 111.2]])
    expect(await neighborsOf('corner')).toEqual([['across', 0, 33.36]])
  })

  test('with `within`, are at most that far away, the nearest first', async () => {
    expect(await neighborsOf('across', '?within=25m')).toEqual([
      ['corner', 0, 33.36],
      ['ring', 22.24, 0],
    ])
  })

  test('take the filters of lists', async () => {
    expect(await neighborsOf('across', '?within=25m&parcel_id=ring')).toEqual([['ring', 22.24, 0]])
    expect(await neighborsOf('across', '?within=25m&state=WA')).toEqual([])
    expect((await call('/v1/parcels/elm/across/neighbors?min_value=2&max_value=1')).status).toBe(400)
  })

  test('404 for an unknown parcel; none without a boundary', async () => {
    expect((await call('/v1/parcels/elm/none/neighbors')).status).toBe(404)
    expect(await neighborsOf('bare', '?within=1km')).toEqual([])
    expect((await call('/v1/parcels/elm/ring/neighbors?within=2km')).body.error).toBe('within must be at most 1 km')
  })
})

test.each([
  ['at=1', 'at must be two comma-separated numbers'],
  ['at=181,0', 'at: the longitude must be from -180 to 180'],
  ['near=0,91&within=1m', 'near: the latitude must be from -90 to 90'],
  ['near=0,0', 'within is missing: with near, it must be a distance above 0 with its unit: m, km, ft or mi'],
  ['within=5m', 'within needs near'],
  ['near=0,0&within=5', 'within must be a distance above 0 with its unit'],
  ['near=0,0&within=0m', 'within must be a distance above 0'],
  ['near=0,0&within=5miles', 'within must be a distance above 0'],
  ['at=0,0&bbox=0,0,1,1', 'at cannot be combined with bbox'],
  ['at=0,0&near=0,0&within=1m', 'at cannot be combined with near'],
  ['near=0,0&within=1m&sort=id', 'near cannot be combined with sort'],
  ['at=0,0&after=elm/1', 'after must be the `next` of the previous page'],
])('%s is refused: %s', async (query, error) => {
  expect(await call(`/v1/parcels?${query}`)).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining(error) },
  })
})

test.each([
  [`at=${at(3, 3)}`, 3],
  [`near=${at(3, 3)}&within=1km`, 6],
  [`near=${at(21, 5)}&within=12m`, 2],
  ['source=elm', 7],
  ['bbox=0.0013,0.0003,0.0017,0.0007', 1],
  ['bbox=0.00135,0.00035,0.00165,0.00065', 0],
])('count=exact of %s is the number of parcels on all pages, %d', async (query, total) => {
  const { body } = await call(`/v1/parcels?${query}&count=exact&limit=1`)
  expect(body).toMatchObject({ count: Math.min(1, total), total, total_is_exact: true })
  const { body: page } = await call(`/v1/parcels?${query}`)
  expect([page.count, page.total]).toEqual([total, undefined])
})

test('an area is counted exactly, and an estimate of few parcels counts them by their boxes', async () => {
  const body = { type: 'Polygon', coordinates: [rectangle(-1, -1, 20, 11)] }
  const { body: within } = await call('/v1/parcels/within?relation=within&count=estimate&limit=1', {
    method: 'POST',
    body,
  })
  expect(within).toMatchObject({ count: 1, total: 4, total_is_exact: true })
  const { body: list } = await call('/v1/parcels?source=elm&count=estimate')
  expect(list).toMatchObject({ total: 7, total_is_exact: true })
  const { body: box } = await call('/v1/parcels?bbox=0.00135,0.00035,0.00165,0.00065&count=estimate')
  expect(box).toMatchObject({ count: 0, total: 1, total_is_exact: false })
  expect((await call('/v1/parcels?source=elm&count=many')).status).toBe(400)
})

test('a parcel with a point and no boundary is found in boxes, circles and areas, and contains no point', async () => {
  const [lon, lat] = [50 * STEP, 5 * STEP]
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'pin', lon, lat }])
  expect((await call('/v1/parcels/elm/pin')).body).toMatchObject({ lon, lat, geom_geojson: null })
  const box = `${at(45, 0)},${at(55, 10)}`
  expect(listed(await call(`/v1/parcels?bbox=${box}`))).toEqual(['pin'])
  const { body: rows } = await call(`/v1/parcels?bbox=${box}&geometry=full&fields=lon,lat,bbox&count=exact`)
  expect(rows).toMatchObject({ total: 1, parcels: [{ lon, lat, bbox: [lon, lat, lon, lat], geom_geojson: null }] })
  // Boxes are compared with a tolerance of 1e-6 degrees before the point decides.
  const beside = `${lon + 5e-7},0,${at(55, 10)}`
  expect(listed(await call(`/v1/parcels?bbox=${beside}`))).toEqual([])
  expect((await call(`/v1/parcels?bbox=${beside}&count=exact`)).body.total).toBe(0)
  expect(listed(await call(`/v1/parcels?at=${lon},${lat}`))).toEqual([])
  const near = await call(`/v1/parcels?near=${at(50, 15)}&within=120m&count=exact`)
  expect(near.body).toMatchObject({ total: 1, parcels: [{ source_parcel_id: 'pin', distance_m: 111.2 }] })
  expect(listed(await call(`/v1/parcels?near=${at(50, 15)}&within=111m`))).toEqual([])
  const body = { type: 'Polygon', coordinates: [rectangle(45, 0, 55, 10)] }
  for (const relation of ['within', 'intersects']) {
    expect(listed(await call(`/v1/parcels/within?relation=${relation}`, { method: 'POST', body }))).toEqual(['pin'])
  }
  const edge = { type: 'Polygon', coordinates: [rectangle(50, 0, 55, 10)] }
  expect(listed(await call('/v1/parcels/within', { method: 'POST', body: edge }))).toEqual(['pin'])
  expect(listed(await call('/v1/parcels/elm/pin/neighbors'))).toEqual([])
  const items = async (bbox: string) =>
    JSON.parse((await call(`/ogc/collections/elm/items?bbox=${bbox}`)).text).features
  expect(await items(box)).toMatchObject([{ geometry: { type: 'Point', coordinates: [lon, lat] } }])
  expect(await items(beside)).toEqual([])
})

test('the neighbors of a road with thousands of corners are listed quickly', async () => {
  const [west, south, length] = [20_000, 1_000, 3_000]
  const alongRoad = (top: number, bottom: number) => {
    const eastward = Array.from({ length: length + 1 }, (_, x): Position => [(west + x) * STEP, bottom * STEP])
    const westward = eastward.toReversed().map(([x = 0]): Position => [x, top * STEP])
    return [...eastward, ...westward, eastward[0] as Position]
  }
  await upsertParcels(sql, 'elm', [
    parcelOf('road', alongRoad(south + 2, south)),
    parcelOf('railway', alongRoad(south - 4, south - 2)),
    parcelOf('canal', alongRoad(south + 4, south + 2)),
    parcelOf('house', rectangle(west + 10, south - 2, west + 20, south)),
  ])
  const processorMs = startProcessorClock()
  const near = await call('/v1/parcels/elm/road/neighbors?within=25m&fields=acreage')
  expect(listed(near).toSorted()).toEqual(['canal', 'house', 'railway'])
  expect(near.body.parcels[2]).toMatchObject({ source_parcel_id: 'railway', distance_m: 22.24, shared_edge_m: 0 })
  expect(listed(await call('/v1/parcels/elm/road/neighbors')).toSorted()).toEqual(['canal', 'house'])
  // Comparing each edge with every edge of the other parcel in full took 23 s.
  expect(processorMs()).toBeLessThan(3_000)
})

test('a parcel is not compared with itself to find its neighbors, however many corners it has', async () => {
  const [x, y, count] = [40_000, 2_000, 30_000]
  const around = (index: number): Position => {
    const angle = (2 * Math.PI * (index % count)) / count
    return [(x + 100 * Math.cos(angle)) * STEP, (y + 100 * Math.sin(angle)) * STEP]
  }
  await upsertParcels(sql, 'elm', [
    parcelOf(
      'lake',
      Array.from({ length: count + 1 }, (_, index) => around(index)),
    ),
    parcelOf('shore', [around(0), [(x + 120) * STEP, y * STEP], around(1), around(0)]),
  ])
  const processorMs = startProcessorClock()
  expect(listed(await call('/v1/parcels/elm/lake/neighbors'))).toEqual(['shore'])
  // Comparing each of its edges with all of them took 10 s, and no other request was answered meanwhile.
  expect(processorMs()).toBeLessThan(3_000)
})
