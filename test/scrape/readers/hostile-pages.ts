import { writePage } from '../../../dev/sample-portal/page'

/*
 * Pages that would cost minutes or gigabytes without bounds. They are generated here, so that no file of this size is in the
 * repository.
 */

type Ring = [number, number][]

const closed = (positions: Ring): Ring => [...positions, positions[0] as [number, number]]

/** Long teeth side by side: no edges cross, but their boxes all overlap. */
const comb = (teeth: number): Ring =>
  closed([
    ...Array.from({ length: teeth }, (_, index): [number, number] => {
      const tip = index % 2 === 1 ? 0.5 : 0
      return [-90 + index / teeth / 100 + tip, 40 + tip]
    }),
    [-89, 39.5],
    [-90, 39.5],
  ])

/** Nested squares, outer rings and holes in turn. */
const nested = (rings: number): Ring[] =>
  Array.from({ length: rings }, (_, index) => {
    const half = 0.00001 * (rings - index)
    const square = closed([
      [-90 - half, 40 - half],
      [-90 - half, 40 + half],
      [-90 + half, 40 + half],
      [-90 + half, 40 - half],
    ])
    return index % 2 === 0 ? square : square.toReversed()
  })

const features = (rings: Ring[], parcelId: string): string =>
  JSON.stringify({
    spatialReference: { wkid: 4326 },
    features: [{ attributes: { PIN: parcelId, OBJECTID: 1 }, geometry: { rings } }],
  })

/** A layer's response to a query for the parcel with that number. */
export const HOSTILE_LAYERS: Readonly<Record<string, (parcelId: string) => string>> = {
  'a ring of 120,000 positions': (id) => features([comb(120_000)], id),
  'the largest allowed ring, with the boxes of all its edges overlapping': (id) => features([comb(49_900)], id),
  '30,000 nested rings': (id) => features(nested(30_000), id),
  'the largest allowed number of nested rings': (id) => features(nested(2_000), id),
  '5,000,000 nested lists': () => '['.repeat(5_000_000),
  '200,000 nested objects': () => `{"features":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`,
  'five million numbers': () => `{"features":[${'0,'.repeat(4_999_999)}0]}`,
  '12 MB of blanks': () => ' '.repeat(12_000_000),
}

/** A normal page of another parcel. */
export const anothersPage = (parcelId: string): string => pageWith(parcelId, '<p>None on record.</p>')

/** The page of a parcel with all data, but `rows` instead of its statements. */
const pageWith = (parcelId: string, rows: string): string => {
  const history = { statements: [], valuation_history: [], sale_history: [], exemptions: [], improvements: [] }
  const page = writePage({ number: parcelId, fields: {}, history, updatedOn: '2026-01-01' })
  return page.replace(/(<h2>Tax statements<\/h2>\n).*/, (_, heading: string) => `${heading}${rows}`)
}

const HEADINGS = `<tr>${['Tax year', 'Bill', 'Billed', 'Paid', 'Due', 'Due on', 'Paid on', 'Status'].map((heading) => `<th>${heading}</th>`).join('')}</tr>`

/** A page that a portal shows instead of a parcel's page. */
export const HOSTILE_PAGES: Readonly<Record<string, (parcelId: string) => string>> = {
  'cells that span billions': (id) => {
    const cells = '<td colspan=1000 rowspan=65534>1</td>'.repeat(10_000)
    return pageWith(id, `<table>${HEADINGS}<tr>${cells}</tr>${'<tr></tr>'.repeat(100)}</table>`)
  },
  'tables with nearly the maximum number of cells': (id) =>
    pageWith(id, `<table><tr>${'<td colspan=100>1</td>'.repeat(990)}</tr></table>`.repeat(45)),
  'statements of 5,000 years': (id) =>
    pageWith(id, `<table>${HEADINGS}${`<tr>${'<td>2020</td>'.repeat(8)}</tr>`.repeat(5_000)}</table>`),
  '50,000 nested elements': () => `${'<div>'.repeat(50_000)}</html>`,
  '9 MB of open brackets': () => `${'<'.repeat(9_000_000)}</html>`,
  '3 MB of labels': (id) =>
    pageWith(id, `<table>${'<tr><td>Parcel number:</td><td>Owner:</td></tr>'.repeat(12_000)}</table>`),
}

/** 10 MB of rules with as many wildcards as possible. */
export const hostileRobots = (): string =>
  `User-agent: *\n${`Disallow: /${'*a'.repeat(500)}b\n`.repeat(10_000)}Disallow: /closed/*\n`
