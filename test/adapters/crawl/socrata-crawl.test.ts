import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CrawlPage } from '../../../adapters/adapter'
import { checkConfig } from '../../../adapters/check-config'
import { socrataSoda } from '../../../adapters/vendors/socrata-soda/adapter'
import { openClient, startPortal } from '../portal'

interface Row {
  pin: string
  tax_year: string
  the_geom?: unknown
}

/** A data set that selects, orders, limits and counts like the portals, and omits empty columns. `changed` runs after each page. */
const startDataset = (rows: Row[], changed: (rows: Row[]) => void = () => {}) =>
  startPortal((request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/resource/abcd-1234.json') return new Response('', { status: 404 })
    if (searchParams.get('$select')?.startsWith('count(')) return Response.json([{ total: String(rows.length) }])
    const offset = Number(searchParams.get('$offset'))
    const where = searchParams.get('$where') ?? ''
    const [, after = ''] = /pin > '(.*)'$/.exec(where) ?? []
    const sorted = rows
      .map((row, index) => ({ ':id': `row-${index}`, ':updated_at': '2026-01-02T03:04:05.678Z', ...row }))
      .filter(({ pin }) => (where === 'pin IS NULL' ? pin === '' : pin > after.replaceAll("''", "'")))
      .sort((one, other) => (one.pin < other.pin ? -1 : Number(one.pin > other.pin)))
      .map(({ pin, ...rest }) => (pin === '' ? rest : { pin, ...rest }))
    changed(rows)
    return Response.json(sorted.slice(offset, offset + Number(searchParams.get('$limit'))))
  })

const crawl = async (url: string, pageSize: number, after?: CrawlPage, stopAfter = Infinity) => {
  const signal = AbortSignal.timeout(20_000)
  const columns = { parcel_id: 'pin', tax_year: 'tax_year' }
  const vendorConfig = { columns, geometry: 'the_geom', page_size: pageSize }
  const config = checkConfig(socrataSoda.config, vendorConfig, { allowPrivate: true })
  const place = { cursor: after?.cursor ?? null, records: after?.records ?? 0 }
  const source = { source: 'elm', baseUrl: `${url}/resource/abcd-1234`, state: 'OR', countyName: 'Larkspur', ...place }
  const pages: CrawlPage[] = []
  for await (const page of socrataSoda.crawl?.(source, config, {
    http: openClient({}, signal),
    openPage: null,
    signal,
  }) ?? []) {
    pages.push(page)
    if (pages.length >= stopAfter) break
  }
  return pages
}

const idsOf = (pages: readonly CrawlPage[]) => pages.flatMap(({ parcels }) => parcels.map((one) => one.sourceParcelId))

const row = (pin: string, tax_year = '2025'): Row => ({ pin, tax_year })

test('reads every parcel once, with all its rows, for any page size', async () => {
  const years = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(years, fc.integer({ min: 4, max: 9 }), async (counts, pageSize) => {
      const rows = counts.flatMap((count, at) => Array.from({ length: count }, (_, n) => row(`P-${at}`, `${2025 - n}`)))
      const pages = await crawl(startDataset(rows).url, pageSize)
      expect(idsOf(pages)).toEqual(counts.map((_, at) => `P-${at}`))
      expect(pages.at(-1)?.cursor).toBeNull()
      expect(pages.every(({ total }) => total === rows.length)).toBe(true)
      expect(pages.reduce((sum, { records }) => sum + records, 0)).toBe(rows.length)
    }),
    { numRuns: 30 },
  )
})

test('rows that are missing at the end are counted again, because they may have been deleted during the crawl', async () => {
  const rows = ['A', 'B', 'C', 'D', 'E', 'F'].map((pin) => row(pin))
  const deleteLast = (left: Row[]) => left.splice(5)
  const pages = await crawl(startDataset(rows, deleteLast).url, 3)
  expect(idsOf(pages)).toEqual(['A', 'B', 'C', 'D', 'E'])
  expect(pages.map(({ total }) => total)).toEqual([6, 6, 6, 5])
})

test("resumes after a page's cursor", async () => {
  const { url } = startDataset(['A', 'B', 'C', 'D', 'E'].map((pin) => row(pin)))
  const [first] = await crawl(url, 3, undefined, 1)
  const rest = await crawl(url, 3, first)
  expect([...idsOf(first ? [first] : []), ...idsOf(rest)]).toEqual(['A', 'B', 'C', 'D', 'E'])
})

test('reports rows that it could not read and continues', async () => {
  const { url } = startDataset([row(''), { ...row('B'), the_geom: { type: 'Point', coordinates: [1, 2] } }, row('C')])
  const pages = await crawl(url, 10)
  expect(idsOf(pages)).toEqual(['C'])
  const reason = 'the_geom is not a boundary: {"type":"Point","coordinates":[1,2]}'
  expect(pages.flatMap(({ rejected }) => rejected)).toEqual([
    { what: 'pin B', reason, sourceParcelId: 'B' },
    { what: 'row-0', reason: 'pin is empty' },
  ])
})

test('a row that is removed during the crawl makes it miss no other row, and resuming neither', async () => {
  const pins = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  const rows = [...pins.map((pin) => row(pin)), ...pins.map(() => row(''))]
  const { url } = startDataset(rows, (all) => all.splice(0, 1))
  const first = await crawl(url, 5, undefined, 2)
  const rest = await crawl(url, 5, first.at(-1))
  expect(idsOf([...first, ...rest])).toEqual(pins)
  expect(rest.at(-1)?.cursor).toBeNull()
})

test('parcel ids with quotes, blanks and fillers are passed, and rows with fillers are reported', async () => {
  const pins = ["A'1", 'A  2', '--', '--', '--', '--', 'B', '"C"']
  const pages = await crawl(startDataset(pins.map((pin) => row(pin))).url, 3)
  expect(idsOf(pages).toSorted()).toEqual(['"C"', 'A 2', "A'1", 'B'])
  expect(pages.flatMap(({ rejected }) => rejected)).toContainEqual({ what: 'row-2', reason: 'pin is empty' })
})

test('a data set that returns the same rows for every request is refused', async () => {
  const { url } = startPortal((request) =>
    request.url.includes('count')
      ? Response.json([{ total: '9' }])
      : Response.json(['A', 'B'].map((pin) => ({ ':id': pin, ':updated_at': '2026-01-02T03:04:05.678Z', pin }))),
  )
  await expect(crawl(url, 2)).rejects.toMatchObject({
    code: 'page_changed',
    message: `the data set answers "pin > 'A'" with other rows`,
  })
})

test('a cursor of an earlier version, a number of rows, starts the crawl again', async () => {
  const { url } = startDataset(['A', 'B'].map((pin) => row(pin)))
  expect(idsOf(await crawl(url, 3, { parcels: [], records: 1, rejected: [], cursor: '1', total: 2 }))).toEqual([
    'A',
    'B',
  ])
})

test('a parcel with more rows than a page is refused, and the message says what to set', async () => {
  const { url } = startDataset([row('A', '2025'), row('A', '2024'), row('A', '2023')])
  await expect(crawl(url, 2)).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining('page_size'),
  })
})

test('the app token is sent with every request', async () => {
  const dataset = startDataset([row('P-1'), row('P-2')])
  const config = checkConfig(
    socrataSoda.config,
    { columns: { parcel_id: 'pin' }, app_token: 'larkspur0example0token000' },
    { allowPrivate: true },
  )
  const signal = AbortSignal.timeout(20_000)
  const context = { http: openClient({}, signal), openPage: null, signal }
  const at = { source: 'elm', baseUrl: `${dataset.url}/resource/abcd-1234`, state: 'OR', countyName: 'Larkspur' }
  for await (const _ of socrataSoda.crawl?.({ ...at, cursor: null, records: 0 }, config, context) ?? []);
  const target = {
    ...at,
    sourceParcelId: 'P-1',
    overrides: {},
    storedNumber: null,
    otherSpelling: null,
    validators: { etag: '"7"', lastModified: null },
  }
  await socrataSoda.fetch(target, config, context)
  const asked = dataset.asked.filter(({ path }) => path.startsWith('/resource/'))
  expect(asked.map(({ headers }) => headers['x-app-token'])).toEqual(asked.map(() => 'larkspur0example0token000'))
  expect(asked.at(-1)?.headers['if-none-match']).toBe('"7"')
})
