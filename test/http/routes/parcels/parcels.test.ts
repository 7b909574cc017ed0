import { describe, expect, test } from 'bun:test'
import { booleanIntersects } from '@turf/boolean-intersects'
import fc from 'fast-check'
import type { MultiPolygon, Position } from 'geojson'
import type { Bbox } from '../../../../core/geometry/bbox'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)

const square = (west: number, south: number, size: number): Position[] => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
]
const multi = (...polygons: Position[][][]): MultiPolygon => ({ type: 'MultiPolygon', coordinates: polygons })

const triangle: Position[] = [
  [20, 20],
  [24, 20],
  [20, 24],
  [20, 20],
]
const ring = [square(10, 10, 4), [...square(11, 11, 2)].reverse()]
await upsertParcels(sql, 'elm', [
  {
    sourceParcelId: '1-2/3 A',
    geom: multi([square(0, 0, 1)]),
    bbox: [0, 0, 1, 1],
    ownerName: 'Ada Elm',
    situsAddress: '1 ELM ST',
    assessedValue: 123456,
    acreage: 0.25,
    landUseClass: 'Residential',
  },
  { sourceParcelId: 'ring', geom: multi(ring), bbox: [10, 10, 14, 14] },
  { sourceParcelId: 'triangle', geom: multi([triangle]), bbox: [20, 20, 24, 24] },
  {
    sourceParcelId: 'fiji',
    geom: multi([square(179, -17, 0.5)], [square(-179.5, -17, 0.5)]),
    bbox: [-179.5, -17, 179.5, -16.5],
  },
  { sourceParcelId: 'bare' },
])

describe('one parcel', () => {
  test('200: every field; unknown ones are null or empty, never absent', async () => {
    const { status, body } = await call(`/v1/parcels/elm/${encodeURIComponent('1-2/3 A')}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      source: 'elm',
      source_parcel_id: '1-2/3 A',
      geom_geojson: multi([square(0, 0, 1)]),
      lon: null,
      lat: null,
      acreage: 0.25,
      owner_name: 'Ada Elm',
      owner_names_all: ['Ada Elm'],
      owner_mailing_address: null,
      situs_address: '1 ELM ST',
      situs_city: null,
      situs_state: null,
      situs_zip: null,
      land_use_class: 'Residential',
      is_agricultural: null,
      zoning_code: null,
      zoning_description: null,
      assessed_value: 123456,
      value_land: null,
      value_improvement: null,
      scrape_data: {},
      scraped_at: null,
      scraped_by: null,
      scrape_data_as_of: null,
      scrape_data_as_of_source: null,
      ingested_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      retired_at: null,
      predecessors: [],
      successors: [],
      accounts: [],
    })
  })

  test('200: a parcel without geometry', async () => {
    expect((await call('/v1/parcels/elm/bare')).body).toMatchObject({ geom_geojson: null, owner_names_all: [] })
  })

  test('200: a retired parcel names its successors, and each of them its predecessor, by their paths', async () => {
    const retire = (moment: string | null) =>
      sql`update parcels set retired_at = ${moment} where source_parcel_id = 'bare'`
    await retire('2026-01-01')
    await sql`
      insert into parcel_links (predecessor, successor, kind, load_id)
      select was.id, is_.id, 'split', uuidv7() from parcels was, parcels is_
      where was.source_parcel_id = 'bare' and is_.source_parcel_id in ('1-2/3 A', 'ring')`
    const linked = (id: string) => ({
      kind: 'split',
      source: 'elm',
      source_parcel_id: id,
      path: `/v1/parcels/elm/${encodeURIComponent(id)}`,
    })
    const { body: was } = await call('/v1/parcels/elm/bare')
    expect(was).toMatchObject({ predecessors: [], successors: [linked('1-2/3 A'), linked('ring')] })
    const { body: is } = await call(was.successors[0].path)
    expect(is).toMatchObject({ source_parcel_id: '1-2/3 A', predecessors: [linked('bare')], successors: [] })
    // A listed parcel has its land itself.
    await retire(null)
    expect((await call('/v1/parcels/elm/bare')).body.successors).toEqual([])
    expect((await call(was.successors[0].path)).body.predecessors).toEqual([])
  })

  test('200: as_of, a parcel has no predecessor that was listed then, nor a successor of a later retirement', async () => {
    const retire = async (moment: string | null) => {
      await sql`update parcels set retired_at = ${moment} where source_parcel_id = 'bare'`
      await sql`select pg_sleep(0.002)`
      return (await sql<{ now: string }[]>`select iso_utc(clock_timestamp()) as now, pg_sleep(0.002)`)[0]?.now
    }
    const [first, listed, second] = [await retire('2026-01-01'), await retire(null), await retire('2026-02-01')]
    await sql`
      insert into parcel_links (predecessor, successor, kind, load_id)
      select was.id, is_.id, 'replaced', uuidv7() from parcels was, parcels is_
      where was.source_parcel_id = 'bare' and is_.source_parcel_id = 'ring'`
    const linksAt = async (at: string | undefined) => [
      (await call(`/v1/parcels/elm/bare?as_of=${at}`)).body.successors.length,
      (await call(`/v1/parcels/elm/ring?as_of=${at}`)).body.predecessors.length,
    ]
    expect([await linksAt(first), await linksAt(listed), await linksAt(second)]).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ])
    await retire(null)
  })

  test('404: an unknown parcel, and an unknown source', async () => {
    for (const path of ['/v1/parcels/elm/none', '/v1/parcels/none/bare']) {
      expect(await call(path)).toMatchObject({ status: 404, body: { error: 'not found' } })
    }
  })
})

describe('parcels in a box', () => {
  const ids = async (bbox: string, more = '') => {
    const { body } = await call(`/v1/parcels?bbox=${bbox}${more}`)
    return body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id).sort()
  }

  test('200: lightweight rows, without geometry and scrape data', async () => {
    const { body } = await call('/v1/parcels?bbox=-1,-1,2,2')
    expect(body).toEqual({
      count: 1,
      parcels: [
        {
          id: expect.any(String),
          source: 'elm',
          source_parcel_id: '1-2/3 A',
          owner_name: 'Ada Elm',
          situs_address: '1 ELM ST',
          assessed_value: 123456,
          land_use_class: 'Residential',
        },
      ],
      next: null,
    })
  })

  test('a retired parcel is returned by its id, and in a box only with include=retired', async () => {
    await sql`update parcels set retired_at = '2026-01-02T03:04:05.678Z' where source_parcel_id = 'triangle'`
    const { status, body } = await call('/v1/parcels/elm/triangle')
    expect([status, body.retired_at]).toEqual([200, '2026-01-02T03:04:05.678Z'])
    expect(await ids('0,0,30,30')).toEqual(['1-2/3 A', 'ring'])
    const { body: page } = await call('/v1/parcels?bbox=0,0,30,30&include=retired')
    expect(
      page.parcels.map((row: Record<string, unknown>) => [row.source_parcel_id, row.retired_at]).toSorted(),
    ).toEqual([
      ['1-2/3 A', null],
      ['ring', null],
      ['triangle', '2026-01-02T03:04:05.678Z'],
    ])
    // One parcel per page: the database reads the next ones from the same box.
    expect((await call('/v1/parcels?bbox=0,0,30,30&include=retired&limit=1')).body).toMatchObject({ count: 1 })
    expect(await call('/v1/parcels?bbox=0,0,30,30&include=gone')).toMatchObject({ status: 400 })
    await sql`update parcels set retired_at = null`
    expect(await ids('0,0,30,30')).toEqual(['1-2/3 A', 'ring', 'triangle'])
  })

  test("a parcel at the query's edge is included by its polygon, not by its box", async () => {
    expect(await ids('23,23,25,25')).toEqual([])
    expect(await ids('20.5,20.5,25,25')).toEqual(['triangle'])
    expect(await ids('11.5,11.5,12.5,12.5')).toEqual([])
    expect(await ids('9,9,10,10')).toEqual(['ring'])
    expect(await ids('0.2,0.2,0.3,0.3')).toEqual(['1-2/3 A'])
  })

  test('west above east crosses the antimeridian', async () => {
    expect(await ids('178,-18,-178,-16')).toEqual(['fiji'])
    expect(await ids('-178,-18,178,-16')).toEqual([])
  })

  test('source filters the result; an unknown source finds nothing', async () => {
    expect(await ids('-1,-1,2,2', '&source=elm')).toEqual(['1-2/3 A'])
    expect(await ids('-1,-1,2,2', '&source=oak')).toEqual([])
  })

  test('pages by `after` return every parcel once, whatever the page size', async () => {
    await insertCounty(sql, 'grid')
    const rows = Array.from({ length: 400 }, (_, index) => {
      const [west, south] = [40 + (index % 20), 40 + Math.floor(index / 20)]
      return {
        sourceParcelId: String(index),
        geom: multi([square(west, south, 0.9)]),
        bbox: [west, south, west + 0.9, south + 0.9] as Bbox,
      }
    })
    await upsertParcels(sql, 'grid', rows)
    for (const limit of [1, 7, 100, 399, 400, 401]) {
      const seen: string[] = []
      let after: string | null = null
      do {
        const { body } = await call(
          `/v1/parcels?bbox=39,39,70,70&limit=${limit}${after === null ? '' : `&after=${after}`}`,
        )
        expect(body.count).toBe(body.parcels.length)
        seen.push(...body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id))
        after = body.next
      } while (after !== null)
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.length).toBe(400)
    }
  })

  test('any box returns exactly the parcels whose polygons intersect it', async () => {
    await insertCounty(sql, 'random')
    const coordinate = fc.integer({ min: -400, max: 400 }).map((tenth) => -100 + tenth / 100)
    const boxes = fc
      .tuple(coordinate, coordinate, coordinate, coordinate)
      .map(([a, b, c, d]) => [Math.min(a, c), Math.min(b, d) + 100, Math.max(a, c), Math.max(b, d) + 100] as Bbox)
    const shapes = fc
      .sample(fc.tuple(coordinate, coordinate, fc.integer({ min: 1, max: 80 }), fc.boolean()), {
        numRuns: 300,
        seed: 7,
      })
      .map(([x, y, size, half], index) => {
        const full = square(x, y + 100, size / 100)
        const ringOf = half ? [full[0], full[1], full[2], full[0]] : full
        return {
          sourceParcelId: String(index),
          geom: multi([ringOf as Position[]]),
          bbox: [x, y + 100, x + size / 100, y + 100 + size / 100] as Bbox,
        }
      })
    await upsertParcels(sql, 'random', shapes)
    await fc.assert(
      fc.asyncProperty(boxes, async ([w, s, e, n]) => {
        const expected = shapes.filter(({ geom }) =>
          booleanIntersects(geom, {
            type: 'Polygon',
            coordinates: [
              [
                [w, s],
                [e, s],
                [e, n],
                [w, n],
                [w, s],
              ],
            ],
          }),
        )
        expect(await ids(`${w},${s},${e},${n}`, '&source=random')).toEqual(
          expected.map(({ sourceParcelId }) => sourceParcelId).sort(),
        )
      }),
      { numRuns: 60, seed: 11 },
    )
  })
})

test('the full record, lists and changes show the same values for farm land and accounts', async () => {
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'farm', isAgricultural: true }])
  await sql`update parcels set is_agricultural = false, accounts = '[{"account_id": "1"}]' where source_parcel_id = 'farm'`
  const record = await call('/v1/parcels/elm/farm')
  const list = await call('/v1/parcels?source=elm&parcel_id=farm&fields=is_agricultural,accounts')
  const history = await call('/v1/parcels/elm/farm/history?limit=1')
  const shown = { is_agricultural: false, accounts: [expect.objectContaining({ account_id: '1' })] }
  expect(record.body).toMatchObject(shown)
  expect(list.body.parcels).toMatchObject([shown])
  expect(history.body.changes[0].changes).toEqual({
    is_agricultural: { former: true, new: shown.is_agricultural },
    accounts: { former: [], new: shown.accounts },
  })
})
