import { describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import fc from 'fast-check'
import type { Position } from 'geojson'
import type { CrawlPage, CrawlSource, ScrapeTarget } from '../../../adapters/adapter'
import { arcgisRest } from '../../../adapters/vendors/arcgis-rest/adapter'
import type { Config } from '../../../adapters/vendors/arcgis-rest/config'
import { ringsToMultiPolygon } from '../../../adapters/vendors/arcgis-rest/esri-rings'
import { openClient } from '../portal'
import { ESRI_ANSWERS, readFirstPage, serveAnswers } from './esri-answers'
import { LAYER, square, startLayer } from './layer'

const columns = { parcel_id: 'PIN', owner_names: ['OWNER'] }

const sourceAt = (url: string, after?: CrawlPage): CrawlSource => ({
  source: 'elm',
  baseUrl: url + LAYER,
  state: 'OR',
  countyName: 'Larkspur',
  cursor: after?.cursor ?? null,
  records: after?.records ?? 0,
})

const crawl = async (source: CrawlSource, config: Config = { columns }, stopAfter = Infinity): Promise<CrawlPage[]> => {
  const signal = AbortSignal.timeout(20_000)
  const context = { http: openClient({}, signal), openPage: null, signal }
  const pages: CrawlPage[] = []
  for await (const page of arcgisRest.crawl?.(source, config, context) ?? []) {
    pages.push(page)
    if (pages.length >= stopAfter) break
  }
  return pages
}

const idsOf = (pages: readonly CrawlPage[]) => pages.flatMap(({ parcels }) => parcels.map((one) => one.sourceParcelId))

test('a parcel with more features than the layer returns at a time is refused: its boundary would be a part of it', async () => {
  const read = async (ids: number[], saysMore: boolean) => {
    const attributes = () => ({ PIN: 'P-1', OWNER: 'ROSE' })
    const layer = startLayer({ ids, maxRecordCount: 3, saysMore, attributes })
    const signal = AbortSignal.timeout(10_000)
    const { source, baseUrl, state, countyName } = sourceAt(layer.url)
    const target: ScrapeTarget = {
      ...{ source, baseUrl, state, countyName, sourceParcelId: 'P-1', overrides: {} },
      ...{ storedNumber: null, otherSpelling: null, validators: { etag: null, lastModified: null } },
    }
    const fetched = await arcgisRest.fetch(
      target,
      { columns },
      { http: openClient({}, signal), openPage: null, signal },
    )
    return 'documents' in fetched ? arcgisRest.parse(fetched.documents, target, { columns }) : null
  }
  expect((await read([1, 2], true))?.fields.geom?.coordinates).toHaveLength(2)
  for (const saysMore of [true, false]) {
    await expect(read([1, 2, 3, 4, 5], saysMore)).rejects.toMatchObject({
      code: 'too_large',
      message: 'the parcel has more features than the layer returns at a time (3): the rest of it is not known',
    })
  }
})

describe('crawl', () => {
  test('reads every parcel once, in pages as large as the layer allows, for any ids and any size', async () => {
    const layers = fc.record({
      ids: fc.uniqueArray(fc.integer({ min: -2, max: 40 }), { maxLength: 12 }),
      maxRecordCount: fc.integer({ min: 1, max: 5 }),
      canPage: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(layers, async (options) => {
        const layer = startLayer(options)
        const pages = await crawl(sourceAt(layer.url))
        expect(idsOf(pages)).toEqual(options.ids.toSorted((one, other) => one - other).map((id) => `P-${id}`))
        expect(pages.every(({ parcels }) => parcels.length <= options.maxRecordCount)).toBe(true)
        expect(pages.map(({ total }) => total)).toEqual(pages.map(() => options.ids.length))
        expect(pages.reduce((sum, { records }) => sum + records, 0)).toBe(options.ids.length)
        expect(pages.map(({ cursor }) => cursor === null)).toEqual(pages.map((_, at) => at === pages.length - 1))
      }),
      { numRuns: 30 },
    )
  })

  for (const canPage of [true, false]) {
    test(`resumes after a page's cursor (${canPage ? 'with' : 'without'} pagination)`, async () => {
      const layer = startLayer({ ids: [0, 1, 2, 3, 4, 5, 6], canPage })
      const [first] = await crawl(sourceAt(layer.url), { columns }, 1)
      const rest = await crawl(sourceAt(layer.url, first))
      expect([...idsOf(first ? [first] : []), ...idsOf(rest)]).toEqual([
        'P-0',
        'P-1',
        'P-2',
        'P-3',
        'P-4',
        'P-5',
        'P-6',
      ])
      expect(idsOf(rest)).toHaveLength(4)
    })
  }

  test('misses nothing when the server returns fewer features than its limit', async () => {
    const layer = startLayer({ ids: [1, 2, 3, 4, 5, 6, 7], maxRecordCount: 5, gives: 2 })
    expect(idsOf(await crawl(sourceAt(layer.url)))).toHaveLength(7)
  })

  for (const canPage of [true, false]) {
    const how = canPage ? 'with' : 'without'
    test(`misses nothing when the server does not say that it returns fewer (${how} pagination)`, async () => {
      const layer = startLayer({ ids: [1, 2, 3, 4, 5, 6, 7], maxRecordCount: 5, gives: 2, saysMore: false, canPage })
      const [first, ...others] = await crawl(sourceAt(layer.url))
      expect(idsOf([first as CrawlPage, ...others])).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => `P-${id}`))
      expect(idsOf(await crawl(sourceAt(layer.url, first)))).toEqual(idsOf(others))
    })
  }

  test('features that are deleted during the crawl do not stop it', async () => {
    for (const canPage of [true, false]) {
      const ids = [1, 2, 3, 4, 5, 6, 7]
      const before = ({ pathname, search }: URL) => {
        if (pathname.endsWith('/query') && !/returnCountOnly|returnIdsOnly/.test(search)) ids.splice(3, 3)
        return undefined
      }
      const pages = await crawl(sourceAt(startLayer({ ids, canPage, before }).url))
      expect(idsOf(pages)).toEqual(['P-1', 'P-2', 'P-3'])
    }
  })

  test('a layer that ignores the order or the requested ids is refused: its other features would be missed', async () => {
    const features = [6, 1, 2].map((id) => ({ attributes: { OID_1: id, PIN: `P-${id}`, OWNER: 'ROSE' } }))
    for (const canPage of [true, false]) {
      const layer = startLayer({
        ...{ ids: [1, 2, 3, 4, 5, 6], canPage },
        before: ({ pathname, search }) =>
          pathname.endsWith('/query') && !/returnCountOnly|returnIdsOnly/.test(search)
            ? Response.json({ features })
            : undefined,
      })
      await expect(crawl(sourceAt(layer.url))).rejects.toMatchObject({
        code: 'page_changed',
        message: canPage
          ? 'the layer ignores the order by "OID_1"'
          : 'the layer answers a request for some features with others',
      })
    }
  })

  test('a feature that is sent several times counts once, so that others are noticed to be missing', async () => {
    for (const canPage of [true, false]) {
      let requests = 0
      const feature = (id: number) => ({
        attributes: { OID_1: id, PIN: `P-${id}`, OWNER: 'ROSE' },
        geometry: { rings: [square(id / 1000, 0, 0.001, 'clockwise')] },
      })
      const features = [1, 1, 1, 4, 4, 6].map(feature)
      const layer = startLayer({
        ...{ ids: [1, 2, 3, 4, 5, 6], maxRecordCount: 6, canPage },
        before: ({ pathname, search }) =>
          pathname.endsWith('/query') && !/returnCountOnly|returnIdsOnly/.test(search)
            ? Response.json({ spatialReference: { wkid: 4326 }, features: requests++ === 0 ? features : [] })
            : undefined,
      })
      const pages = await crawl(sourceAt(layer.url))
      expect(pages.reduce((sum, { records }) => sum + records, 0)).toBe(3)
      expect(pages.at(-1)?.total).toBe(6)
      const parts = pages.flatMap(({ parcels }) => parcels.map(({ fields }) => fields.geom?.coordinates.length))
      expect(parts).toEqual([1, 1, 1])
    }
  })

  test('a boundary of any other form rejects its parcel alone', async () => {
    const bad = ['text', 7, true, [], { rings: [[['NaN', 'NaN']]] }]
    const layer = startLayer({
      ...{ ids: [0, 1, 2, 3, 4, 5], maxRecordCount: 10 },
      geometry: (id) => bad[id] ?? null,
    })
    const pages = await crawl(sourceAt(layer.url))
    expect(idsOf(pages)).toEqual(['P-5'])
    expect(pages[0]?.rejected.map(({ sourceParcelId }) => sourceParcelId)).toEqual(['P-0', 'P-1', 'P-2', 'P-3', 'P-4'])
  })

  test('numbers with too many digits to be exact are no parcel numbers: two parcels would be one', async () => {
    const body = `{"features": [
      {"attributes": {"OID_1": 1, "PIN": 12345678901234567, "OWNER": "ROSE"}},
      {"attributes": {"OID_1": 2, "PIN": 12345678901234568, "OWNER": "IVY"}},
      {"attributes": {"OID_1": 3, "PIN": 123456789012345, "OWNER": "FERN"}}]}`
    const before = ({ pathname, search }: URL) =>
      pathname.endsWith('/query') && !/returnCountOnly/.test(search) ? new Response(body) : undefined
    const [page] = await crawl(sourceAt(startLayer({ ids: [1, 2, 3], maxRecordCount: 10, before }).url))
    expect(page?.parcels.map(({ sourceParcelId }) => sourceParcelId)).toEqual(['123456789012345'])
    const reason = 'PIN is a number with too many digits to be exact'
    expect(page?.rejected).toEqual([
      { what: 'OID_1 1', reason },
      { what: 'OID_1 2', reason },
    ])
  })

  test.each([
    [1_557_446_400_000, [{ sold_on: '2019-05-10' }]],
    ['2019-05-10', [{ sold_on: '2019-05-10' }]],
    ['5/10/2019', [{ sold_on: '2019-05-10' }]],
    ['10 de mayo', undefined],
    // In seconds: as milliseconds, it is in January 1970.
    [1_557_446_400, undefined],
    [0, []],
    [null, []],
  ])('the sale of a layer with the date %j', async (date, sales) => {
    const layer = startLayer({
      ...{ ids: [1], fields: [{ name: 'SOLD', type: 'esriFieldTypeDate' }] },
      attributes: () => ({ PIN: 'P-1', OWNER: 'ROSE', SOLD: date }),
    })
    const [page] = await crawl(sourceAt(layer.url), { columns: { ...columns, sale_date: 'SOLD' } })
    expect(page?.parcels[0]?.scrape.sale_history).toEqual(sales)
  })

  test.each([
    [{ status: 'error', error: { code: 499, message: 'Token Required' } }, 'blocked', 'error 499: Token Required'],
    [{ error: { code: 400, message: 'Failed', details: 'No such column' } }, 'bad_config', 'Failed No such column'],
  ])('the error %j', async (error, code, says) => {
    const before = ({ pathname }: URL) => (pathname.endsWith('/query') ? Response.json(error) : undefined)
    await expect(crawl(sourceAt(startLayer({ ids: [1], before }).url))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(says),
    })
  })

  test('returns boundary, owner and the age of the data', async () => {
    const layer = startLayer({ ids: [7] })
    const [page] = await crawl(sourceAt(layer.url))
    expect(page?.parcels[0]).toMatchObject({
      sourceParcelId: 'P-7',
      fields: { ownerName: 'OWNER 7', geom: { coordinates: [[square(0.007, 0, 0.001, 'counterclockwise')]] } },
      scrape: { parcel_number: 'P-7', data_as_of: '2026-01-02', data_as_of_source: 'feature-server' },
    })
  })

  test('reports features that it could not read and continues', async () => {
    const layer = startLayer({
      ids: [1, 2, 3],
      attributes: (id) => ({ PIN: id === 1 ? ' ' : `P-${id}`, OWNER: null }),
      geometry: (id) => (id === 2 ? { curveRings: [] } : null),
    })
    const [page] = await crawl(sourceAt(layer.url))
    expect(page?.parcels.map(({ sourceParcelId }) => sourceParcelId)).toEqual(['P-3'])
    expect(page?.rejected).toEqual([
      { what: 'OID_1 1', reason: 'PIN is empty' },
      { what: 'OID_1 2', reason: 'rings are missing from the boundary {"curveRings":[]}', sourceParcelId: 'P-2' },
    ])
  })

  test('a zero in a column of numbers is no area, ZIP code or deed, and a ZIP code gets its zeros back', async () => {
    const row = { ACRES: 0, SQ_FT: 10_890, ZIP: 2139, SOLD: '2019/05/10', PRICE: 0, DEED: 0, BOOK: 1204, LEAF: 0 }
    const layer = startLayer({
      ids: [1, 2],
      fields: Object.keys(row).map((name) => ({
        name,
        type: `esriFieldType${name === 'SOLD' ? 'String' : 'Integer'}`,
      })),
      attributes: (id) => ({ PIN: `P-${id}`, OWNER: 'ROSE', ...row, ...(id === 2 ? { SQ_FT: null, ZIP: 0 } : {}) }),
    })
    const [page] = await crawl(sourceAt(layer.url), {
      columns: {
        ...{
          ...columns,
          acreage: 'ACRES',
          land_sq_ft: 'SQ_FT',
          situs_zip: 'ZIP',
          sale_date: 'SOLD',
          sale_price: 'PRICE',
        },
        ...{ deed_number: 'DEED', deed_book: 'BOOK', deed_page: 'LEAF' },
      },
    })
    expect(page?.parcels).toMatchObject([
      {
        fields: { acreage: 0.25, situsZip: '02139' },
        scrape: { sale_history: [{ sold_on: '2019-05-10', price: 0, book: '1204' }] },
      },
      { fields: { acreage: 0 } },
    ])
    expect(page?.parcels[0]?.scrape.sale_history?.[0]).not.toContainAnyKeys(['document_number', 'page'])
    expect(page?.parcels[1]?.fields).not.toContainKey('situsZip')
  })

  test("combines a parcel's features on a page", async () => {
    const layer = startLayer({ ids: [1, 2], attributes: () => ({ PIN: 'P', OWNER: 'ROSE' }) })
    const [page] = await crawl(sourceAt(layer.url))
    expect(page?.parcels).toHaveLength(1)
    expect(page?.parcels[0]?.fields.geom?.coordinates).toHaveLength(2)
  })

  test('sends the Referer that a proxy requires with every request', async () => {
    const layer = startLayer({ ids: [1, 2, 3, 4], canPage: false })
    await crawl(sourceAt(layer.url), { columns, referer: 'https://map.larkspur.example/' })
    const asked = layer.asked.filter(({ path }) => path.startsWith(LAYER))
    expect(asked.length).toBeGreaterThan(3)
    expect(asked.map(({ headers }) => headers.referer)).toEqual(asked.map(() => 'https://map.larkspur.example/'))
  })

  test('refuses a layer without a mapped column, naming it', async () => {
    const layer = startLayer({ ids: [1] })
    const work = crawl(sourceAt(layer.url), { columns: { ...columns, acreage: 'ACRES' } })
    await expect(work).rejects.toMatchObject({ code: 'page_changed', message: expect.stringContaining('"ACRES"') })
  })
})

describe('rings', () => {
  /** Esri's rings of parcels with holes, in any order, each starting at any corner. */
  const parcels = fc
    .uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 6 })
    .chain((wests) => fc.tuple(...wests.map((west) => fc.record({ west: fc.constant(west), holes: fc.nat(3) }))))
    .chain((parts) => {
      const rings = parts.flatMap(({ west, holes }) => [
        square(west, 0, 1, 'clockwise'),
        // The first touches a corner of its outer ring.
        ...Array.from({ length: holes }, (_, n) => square(west + n * 0.25, n * 0.25, 0.125, 'counterclockwise')),
      ])
      return fc.record({
        parts: fc.constant(parts),
        rings: fc.shuffledSubarray(rings, { minLength: rings.length, maxLength: rings.length }),
      })
    })

  test('each hole follows its outer ring, with the winding of RFC 7946', () => {
    fc.assert(
      fc.property(parcels, ({ parts, rings }) => {
        const polygons = ringsToMultiPolygon(rings)?.coordinates ?? []
        const summary = polygons.map(([outer = [], ...holes]) => ({ west: outer[0]?.[0], holes: holes.length }))
        const byWest = (one: { west?: number | undefined }, other: { west?: number | undefined }) =>
          (one.west ?? 0) - (other.west ?? 0)
        expect(summary.toSorted(byWest)).toEqual(parts.toSorted(byWest))
        for (const [outer = [], ...holes] of polygons) {
          expect(areaOf(outer)).toBeGreaterThan(0)
          for (const hole of holes) {
            expect(areaOf(hole)).toBeLessThan(0)
            expect(Math.floor((hole[0]?.[0] as number) + 1e-9)).toBe(Math.floor((outer[0]?.[0] as number) + 1e-9))
          }
        }
      }),
    )
  })

  test('an island in a lake has its own pond', () => {
    const rings = [
      square(0, 0, 10, 'clockwise'),
      square(1, 1, 8, 'counterclockwise'),
      square(2, 2, 6, 'clockwise'),
      square(3, 3, 2, 'counterclockwise'),
    ]
    const polygons = ringsToMultiPolygon(rings)?.coordinates ?? []
    expect(polygons.map((polygon) => polygon.map((ring) => Math.abs(areaOf(ring))))).toEqual([
      [100, 64],
      [36, 4],
    ])
  })

  test('a ring with the wrong winding inside no other ring becomes an outer ring', () => {
    expect(ringsToMultiPolygon([square(0, 0, 1, 'counterclockwise')])?.coordinates).toHaveLength(1)
  })

  test('a ring with impossible coordinates is kept, so that its boundary is refused and not stored without it', () => {
    const huge = [
      [1e308, 0],
      [1e308, 1e308],
      [-1e308, -1e308],
      [1e308, 0],
    ]
    expect(ringsToMultiPolygon([square(0, 0, 1, 'clockwise'), huge])?.coordinates).toHaveLength(2)
  })

  test('heights are dropped, open rings are closed, and rings without area are dropped', () => {
    const open = square(0, 0, 1, 'clockwise').slice(0, -1)
    const line = [
      [5, 5],
      [6, 6],
      [5, 5],
    ]
    const geom = ringsToMultiPolygon([open.map((position) => [...position, 120]), line])
    expect(geom?.coordinates).toEqual([[square(0, 0, 1, 'counterclockwise')]])
    expect(ringsToMultiPolygon([line])).toBeNull()
  })
})

const areaOf = (ring: readonly Position[]): number =>
  ring.slice(1).reduce((sum, [x = 0, y = 0], at) => sum + ((ring[at]?.[0] ?? 0) * y - x * (ring[at]?.[1] ?? 0)) / 2, 0)

for (const { folder, layers, closed } of ESRI_ANSWERS) {
  describe(`responses in ${basename(folder)}`, () => {
    for (const { name, drawn, ...map } of layers) {
      test(`${name}: the page is read with all its boundaries`, async () => {
        const [page] = await crawl(sourceAt(serveAnswers(folder, name).url), { columns: map })
        expect(page?.rejected).toEqual([])
        const ids = readFirstPage(folder, name).features.map(({ attributes }) => `${attributes[map.parcel_id]}`)
        expect(page?.parcels.map(({ sourceParcelId }) => sourceParcelId)).toEqual([...new Set(ids)])
        expect(page?.parcels.every(({ fields }) => (fields.geom !== undefined) === drawn)).toBe(true)
        expect(page?.parcels.every(({ fields }) => fields.ownerName !== undefined)).toBe(true)
      })
    }

    test(`${closed}: a layer that requires a token is refused`, async () => {
      await expect(crawl(sourceAt(serveAnswers(folder, closed).url))).rejects.toMatchObject({ code: 'blocked' })
    })
  })
}
