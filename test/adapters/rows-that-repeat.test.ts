import { describe, expect, test } from 'bun:test'
import type { RawDocument, ScrapedParcel } from '../../adapters/adapter'
import { readScrape } from '../../adapters/read-scrape'
import { readPage } from '../../adapters/reading/page/read-page'
import { type columnMap, readRecords } from '../../adapters/reading/record-map'
import { isPlaceholder, readDate, readName, readText } from '../../adapters/reading/values'
import { listUnclearYears, mergeYears } from '../../adapters/reading/years'
import { ADAPTERS, findAdapter } from '../../adapters/registry'
import { ScrapeError } from '../../adapters/scrape-error'
import { listScrapeProblems } from '../../adapters/scrape-problems'
import type { Case } from '../../dev/adapter-cases/case'
import { listCases } from '../../dev/adapter-cases/list-cases'
import { configOf, fetchCase, targetOf } from '../../dev/adapter-cases/run-case'

/*
 * A page may have two rows where it usually has one. Both are read, or their sum if the field is a sum, or the list is left out with a
 * warning, or the page is refused. The second row is never ignored.
 */

type Adapter = (typeof ADAPTERS)[number]
type Outcome = { scraped: ScrapedParcel; refusal?: never } | { refusal: ScrapeError; scraped?: never }

const read = (adapter: Adapter, one: Case, documents: readonly RawDocument[]): Outcome => {
  try {
    return { scraped: readScrape(adapter, documents, targetOf(one), configOf(adapter, one)) }
  } catch (error) {
    if (error instanceof ScrapeError) return { refusal: error }
    throw error
  }
}

const documentsOf = async (adapter: Adapter, one: Case): Promise<RawDocument[]> => {
  const fetched = await fetchCase(adapter, one)
  return 'documents' in fetched ? fetched.documents : []
}

const inOne = (documents: readonly RawDocument[], at: number, change: (body: string) => string): RawDocument[] =>
  documents.map((document, index) => (index === at ? { ...document, body: change(document.body) } : document))

/** The case's result, or its refusal, after changes of its pages: pairs of the text to replace, which must be there, and its replacement. */
const readChanged = async (vendor: string, name: string, ...changes: string[]): Promise<Outcome> => {
  const adapter = findAdapter(vendor) as Adapter
  const one = listCases(vendor).find((known) => known.name === name) as Case
  let documents = await documentsOf(adapter, one)
  for (const [index, from] of changes.entries()) {
    if (index % 2 === 1) continue
    const at = documents.findIndex(({ body }) => body.includes(from))
    expect({ from, isThere: at !== -1 }).toEqual({ from, isThere: true })
    documents = inOne(documents, at, (body) => body.replace(from, () => changes[index + 1] ?? ''))
  }
  return read(adapter, one, documents)
}

const statementsOf = ({ scraped }: Outcome) => scraped?.scrape.statements
const warningsOf = ({ scraped }: Outcome) => scraped?.report?.warnings.join('; ') ?? ''

describe('a row that is followed by another with the same label or year', () => {
  const ROW = /<tr\b(?:(?!<tr\b|<table\b)[\s\S])*?<\/tr>/g
  const CHANGES: Readonly<Record<string, (row: string) => string>> = {
    amounts: (row) =>
      row.replace(/\$?\b\d[\d,]*(?:\.\d+)?\b(?!\/|-)/g, (text) =>
        /[$,.]/.test(text) ? text.replace(/\d/, (digit) => String((Number(digit) % 8) + 1)) : text,
      ),
    names: (row) => row.replace(/\b(?:HOLLOWAY|MARIGOLD|JUNIPER)\b/g, 'ZEBRA'),
    dates: (row) =>
      row.replace(/\b(\d{1,2}\/\d{1,2})\/(\d{4})\b/g, (_, day: string, year: string) => `${day}/${Number(year) - 1}`),
  }
  /** Rows that may repeat. */
  const MAY_REPEAT: readonly [vendor: string, text: string][] = [
    // The last payment's date counts.
    ['iowa-treasurers', 'Paid on'],
    ['oktaxrolls', '<td>Check</td>'],
    // The description of a building is left out in both cases.
    ['pacs-property-access', '>LA<'],
    // The age of the data is in a line, which a district may have instead.
    ['pacs-property-access', 'Database last updated on:'],
    // The other part's value is 0, so the sum is that of the changed row.
    ['schneider-beacon-qpublic', '$0<'],
    ['tyler-iasworld', 'Parcel Owner:'],
    // The parts do not add up to the total, so the area is left out in both cases.
    ['vgsi', '<td>BAS</td>'],
    ['vgsi', '<td>2,320</td>'],
  ]

  for (const adapter of ADAPTERS) {
    test(`${adapter.vendor}: it has an effect, or the page is refused`, async () => {
      const ignored: string[] = []
      for (const one of listCases(adapter.vendor).filter(({ expect: wanted }) => 'scrape' in wanted)) {
        const documents = await documentsOf(adapter, one)
        const outcome = (changed: readonly RawDocument[]) => {
          const { scraped, refusal } = read(adapter, one, changed)
          if (scraped === undefined) return { values: refusal.message, warnings: '', isRefused: true }
          expect(listScrapeProblems(scraped.scrape)).toEqual([])
          const { fields, scrape, report } = scraped
          return { values: JSON.stringify([fields, scrape]), warnings: report?.warnings.join(), isRefused: false }
        }
        const whole = outcome(documents)
        for (const [at, { body }] of documents.entries()) {
          for (const { 0: row, index } of body.matchAll(ROW)) {
            // An id, or the name of a database column, is on a page once.
            if (
              /\s(?:id|editkey)="/.test(row) ||
              MAY_REPEAT.some(([vendor, text]) => vendor === adapter.vendor && row.includes(text))
            )
              continue
            for (const [what, change] of Object.entries(CHANGES)) {
              const changed = change(row)
              if (changed === row) continue
              const put = (text: string) =>
                outcome(inOne(documents, at, () => body.slice(0, index) + text + body.slice(index + row.length)))
              const instead = put(changed)
              if (instead.isRefused || instead.values === whole.values) continue
              const both = put(row + changed)
              const isIgnored = both.values === whole.values || both.values === instead.values
              if (isIgnored && both.warnings === whole.warnings) ignored.push(`${one.name}: ${what} of ${row}`)
            }
          }
        }
      }
      expect(ignored).toEqual([])
    }, 120_000)
  }
})

describe('several entries of a year', () => {
  test('valuations complete or repeat each other, and two different values are refused', () => {
    expect(
      mergeYears([
        { year: 2024, land: 1 },
        { year: 2025, total: 9 },
        { year: 2024, land: 1, total: 3 },
      ]),
    ).toEqual([
      { year: 2025, total: 9 },
      { year: 2024, land: 1, total: 3 },
    ])
    expect(() =>
      mergeYears([
        { year: 2024, land: 1 },
        { year: 2024, land: 2 },
      ]),
    ).toThrow('2024 has two values for "land"')
  })

  test('statements are told apart by their bill numbers only', () => {
    const [one, two] = [
      { tax_year: 2025, bill_number: '1', billed: 5 },
      { tax_year: 2025, bill_number: '2', billed: 5 },
    ]
    expect(listUnclearYears([one, two, { tax_year: 2024 }])).toEqual([])
    for (const other of [{ tax_year: 2025 }, one, { ...one, billed: 6 }])
      expect(listUnclearYears([one, other])).toEqual([2025])
  })

  const NE = '<tr><td>2024</td><td><a href="statement.aspx?id=2">4622</a></td>'
  test('numbered bills of a year are all kept', async () => {
    const outcome = await readChanged('ne-assessors-taxes-online', 'taxes', NE, NE.replace('2024', '2025'))
    expect(statementsOf(outcome)?.map(({ tax_year, bill_number }) => [tax_year, bill_number])).toEqual([
      [2025, '4711'],
      [2025, '4622'],
    ])
  })

  test('bills of a year with one number are left out with a warning', async () => {
    const outcome = await readChanged(
      'ne-assessors-taxes-online',
      'taxes',
      NE,
      NE.replace('2024', '2025').replace('4622', '4711'),
    )
    expect(statementsOf(outcome)).toBeUndefined()
    expect(warningsOf(outcome)).toContain('several statements are of the same year (2025)')
  })

  test.each([
    ['2025 Annual bill', 'an annual bill beside an installment'],
    ['2025 Installment bill #2', 'an installment twice'],
    ['2025 Corrected installment bill', 'a corrected bill'],
    ['2025 Refund', 'a row of the year that is no bill'],
    ['Loading...', 'a row that has not been loaded'],
  ])('Grant Street: %p, %s: the statements are left out with a warning', async (name) => {
    const outcome = await readChanged('grant-street-taxsys', 'installments', '2025 Installment bill #1', name)
    expect(statementsOf(outcome)).toBeUndefined()
    expect(warningsOf(outcome)).toContain('not clear which bills are the tax of a year')
  })

  test('Grant Street: cents are added before they are rounded', async () => {
    const outcome = await readChanged('grant-street-taxsys', 'installments', '$301.00', '$301.40', '$300.00', '$300.40')
    expect(statementsOf(outcome)?.[0]).toMatchObject({ tax_year: 2025, due: 602 })
  })

  test('Beacon: two columns of a year are two halves or two bills, so the statements are left out', async () => {
    const outcome = await readChanged(
      'schneider-beacon-qpublic',
      'taxes',
      '<th>2024 Pay 2025</th>',
      '<th>2023 Pay 2024</th>',
    )
    expect(statementsOf(outcome)).toBeUndefined()
    expect(warningsOf(outcome)).toContain('several statements are of the same year (2023)')
  })

  test('Beacon: a year of taxes that was not understood is not dropped from the list', async () => {
    const outcome = await readChanged('schneider-beacon-qpublic', 'taxes', '>2024 Payable 2025<', '>2024 (estimated)<')
    expect(statementsOf(outcome)).toBeUndefined()
    expect(warningsOf(outcome)).toContain('a year of the tax history was not understood')
  })

  test('OKTaxRolls: a second statement of a year, or a list that is not whole, leaves the statements out', async () => {
    const second = await readChanged('oktaxrolls', 'full', '["2023"', '["2025"')
    expect(statementsOf(second)).toBeUndefined()
    expect(warningsOf(second)).toContain('a year has several statements')
    const cut = await readChanged('oktaxrolls', 'full', '"recordsFiltered": 3', '"recordsFiltered": 300')
    expect(statementsOf(cut)).toBeUndefined()
  })

  test('EagleWeb: of two balances of a year, none is the amount due', async () => {
    const row = '<tr><td>2025</td><td>$1,204.50</td><td>$0.00</td><td>$1,204.50</td></tr>'
    const outcome = await readChanged('tyler-eagleweb-treasurer', 'two-halves', row, row + row.replaceAll('1,204', '9'))
    expect(statementsOf(outcome)?.[0]).toMatchObject({ tax_year: 2025, billed: 2409 })
    expect(statementsOf(outcome)?.[0]?.due).toBeUndefined()
    expect(warningsOf(outcome)).toContain('several balances')
  })
})

describe('rows that cannot be told apart, or not be read', () => {
  test.each([
    ['', undefined, 'iasWorld: an installment without its year'],
    ['Pending', undefined, 'iasWorld: an installment whose year cannot be read'],
    ['2024', 'page_changed', 'iasWorld: a row of the year beside one of its halves'],
  ])('%p: %s %s: its amounts are not added, and the list is not shortened', async (year, code) => {
    const outcome = await readChanged('tyler-iasworld', 'ohio', '>2024 - 1<', `>${year}<`)
    expect(outcome.refusal?.code).toBe(code as never)
    expect(statementsOf(outcome)).toBeUndefined()
  })

  test('iasWorld: a total below the installments is not an installment', async () => {
    const row = '<tr><td class="DataletData">2023 - 1</td>'
    const total = '<tr><td>Total:</td><td></td><td>9,000.00</td><td>9,000.00</td><td>0.00</td></tr>'
    const outcome = await readChanged('tyler-iasworld', 'ohio', row, total + row)
    expect(statementsOf(outcome)).toEqual(statementsOf(await readChanged('tyler-iasworld', 'ohio', row, row)))
    expect(statementsOf(outcome)).toHaveLength(2)
  })

  test('iasWorld: a label that is repeated below itself continues the owners; elsewhere in the table, it is refused', async () => {
    const [first, second] = ['HOLLOWAY MARIGOLD', 'HOLLOWAY TOBIAS']
    const row = (label: string, name: string) =>
      `<tr><td class="DataletSideHeading">${label}</td><td class="DataletData">${name}</td></tr>`
    const ownersOf = ({ scraped }: Outcome) => scraped?.fields.ownerNamesAll
    const blank = row('&nbsp;', second)
    const repeated = await readChanged('tyler-iasworld', 'full', blank, row('Name(s)', first) + row('Name(s)', second))
    expect(ownersOf(repeated)).toEqual([first, second])
    const apart = row('Mailing Address', 'PO BOX 1204')
    const elsewhere = await readChanged('tyler-iasworld', 'full', apart, apart + row('Name(s)', 'WREN ALDER'))
    expect(elsewhere.refusal?.message).toContain('"Name(s)" is under')
  })

  test('Vanguard: a second deed holder is an owner', async () => {
    const row = '<tr><td>Deed Holder:</td>'
    const outcome = await readChanged('vanguard-iowa-assessors', 'full', row, `${row}<td>WREN, ALDER</td></tr>${row}`)
    expect(outcome.scraped?.fields.ownerNamesAll).toEqual(['WREN, ALDER', 'HOLLOWAY, MARIGOLD & TOBIAS'])
  })

  test('Vanguard: of several rows of values, none is the parcel’s', async () => {
    const row = '<tr><td>$41,250</td>'
    const other = '<tr><td>$1</td><td>$2</td><td>$3</td><td>$6</td></tr>'
    const outcome = await readChanged('vanguard-iowa-assessors', 'full', row, other + row)
    expect(outcome.refusal?.message).toContain('2 rows of values')
  })

  test('Iowa treasurers: bills of two years are not one bill', async () => {
    const row = '<tr><td>LARKSPUR, IA</td><td>0822301004</td><td>Real Estate</td><td>2024</td></tr>'
    const outcome = await readChanged('iowa-treasurers', 'full', row, row + row.replace('2024', '2023'))
    expect(outcome.refusal?.message).toContain('2 rows under "Collector"')
  })

  test('Nebraska: two results for one parcel are refused', async () => {
    const row = '<tr><td><a href="parcel.aspx?id=9">060012345</a></td>'
    const other = '<tr><td><a href="parcel.aspx?id=8">060012345</a></td><td>WREN ALDER</td><td>7 ALDER WAY</td></tr>'
    const outcome = await readChanged('ne-assessors-taxes-online', 'taxes', row, other + row)
    expect(outcome.refusal?.message).toContain('2 results of the search')
  })

  test('Spatialest: owners in several rows are all owners, and of two buildings no year is taken', async () => {
    const list = String.raw`"owners_list": "[\"HOLLOWAY MARIGOLD\",\"HOLLOWAY TOBIAS\"]"`
    const rows = '"list": [{ "owners_list": "HOLLOWAY MARIGOLD" }, { "owners_list": "WREN ALDER" }]'
    const owned = await readChanged('spatialest', 'full', list, rows)
    expect(owned.scraped?.fields.ownerNamesAll).toEqual(['HOLLOWAY MARIGOLD', 'WREN ALDER'])
    const built = await readChanged('spatialest', 'full', '"bldg": [', '"bldg": [{ "YearBlt": "1950" },')
    expect(built.scraped?.scrape.improvements).toEqual([{ living_area_sq_ft: 1840 }])
    expect(warningsOf(built)).toContain('several values of "YearBlt')
  })

  test.each([
    ['Sales are not available.', false],
    ['No connection to the server', false],
    ['Sales could not be loaded, please try again', false],
    ['No deed history', true],
    ['No sales on record at this time.', true],
  ])('a notice in place of rows, %p, says that there are none: %p', (notice, saysNone) => {
    const body = `<table><tr><th>Date</th><th>Price</th></tr><tr><td colspan=2>${notice}</td></tr></table></html>`
    const document = { name: 'sales', url: 'https://portal.example/', status: 200, headers: {}, body, fetchedAt: '' }
    const rows = () => readPage([document], 'sales').getTable(['Date', 'Price']).rows
    if (saysNone) expect(rows()).toHaveLength(0)
    else expect(rows).toThrow('instead of rows')
  })
})

test('EagleWeb: a correction of a year’s tax or payment leaves both amounts out', async () => {
  const row = '<tr><td>2024</td><td>Tax Payment</td><td>06/11/2025</td><td>($1,143.75)</td><td>$0.00</td></tr>'
  const reversal = row.replace('Tax Payment', 'Tax Payment Reversal').replace('($1,143.75)', '$1,143.75')
  const outcome = await readChanged('tyler-eagleweb-treasurer', 'two-halves', row, row + reversal)
  expect(statementsOf(outcome)?.find(({ tax_year }) => tax_year === 2024)).toEqual({ tax_year: 2024 })
  expect(statementsOf(outcome)?.[0]?.paid).toBe(1205)
})

describe('a second table with the same headings', () => {
  test('is warned about: it may have the rest of the list, or be about other parcels', async () => {
    const rest =
      '<table><tr><th>Year</th><th>Improvements</th><th>Land Market</th><th>Ag Valuation</th><th>Appraised</th><th>HS Cap</th><th>Assessed</th></tr><tr><td>1999</td><td>$1</td><td>$2</td><td>$0</td><td>$3</td><td>$0</td><td>$3</td></tr></table><div id="deedHistoryDetails">'
    const outcome = await readChanged('pacs-property-access', 'full', '<div id="deedHistoryDetails">', rest)
    expect(warningsOf(outcome)).toContain('only the first of several tables with the headings "Year"')
  })

  test('Beacon: of two tables of sales, none is taken for the whole', async () => {
    const adapter = findAdapter('schneider-beacon-qpublic') as Adapter
    const one = listCases(adapter.vendor).find(({ name }) => name === 'sales-history') as Case
    const documents = await documentsOf(adapter, one)
    const [table = ''] =
      /<table id="[^"]*_grdSalesHist"[\s\S]*?<\/table>/.exec(documents.map(({ body }) => body).join()) ?? []
    expect(read(adapter, one, documents).scraped?.scrape.sale_history?.length).toBeGreaterThan(0)
    const other = table.replace('_grdSalesHist', '_gvwSales').replace(/19(\d\d)|20(\d\d)/g, '1977')
    const twice = read(
      adapter,
      one,
      inOne(documents, 0, (body) => body.replace(table, table + other)),
    )
    expect(twice.scraped?.scrape.sale_history).toBeUndefined()
    expect(warningsOf(twice)).toContain('several tables of sales')
  })
})

describe('rows of totals', () => {
  test('GSA: the total of the installments is not another payment', async () => {
    const end = '</tbody></table></div></section>'
    const cells = (texts: string[]) => `<tr>${texts.map((text) => `<td>${text}</td>`).join('')}</tr>`
    const total = cells(['Total', '', '', '', '$1,205.00', '$0.00', '$0.00', '$1,205.00', '$1,205.00', '$0.00'])
    const outcome = await readChanged('gsa-catalis', 'two-installments', end, total + end)
    expect(statementsOf(outcome)?.[0]?.paid).toBe(1205)
  })

  test.each(['Total', ''])('PACS: a row %p does not double the acreage', async (words) => {
    const last = '<td>$44,500</td><td>$1,980</td></tr>'
    const total = `<tr><td>${words}</td><td></td><td></td><td>11.3750</td><td>495495.00</td><td></td><td></td><td></td><td></td></tr>`
    const { scraped } = await readChanged('pacs-property-access', 'full', last, last + total)
    expect(scraped?.fields.acreage).toBe(words === '' ? undefined : 11.375)
  })
})

describe('placeholders', () => {
  test('are no values, and names that begin like them are', () => {
    for (const text of [
      'Loading...',
      'Loading…',
      'loading',
      'Please wait...',
      'Loading data, please wait...',
      'One moment please...',
      'Retrieving owners...',
    ])
      expect({ text, isPlaceholder: isPlaceholder(text), read: readText(text) }).toEqual({
        text,
        isPlaceholder: true,
        read: undefined,
      })
    for (const text of ['LOADING DOCK LLC', 'PLEASE WAIT LLC', 'ONE MOMENT INC.', 'PROCESSING CO.'])
      expect(readName(text)).toBe(text)
  })

  test('a seller that has not been loaded is not a name', async () => {
    const outcome = await readChanged('pacs-property-access', 'full', '<td>FENWICK ODALYS</td>', '<td>Loading...</td>')
    expect(JSON.stringify(outcome.scraped)).not.toContain('Loading')
  })
})

describe('rows of one parcel in a layer', () => {
  const columns = {
    parcel_id: 'PIN',
    owner_names: ['OWNER'],
    value_land: 'LAND',
    tax_year: 'YEAR',
    sale_date: 'SOLD',
    sale_price: 'PRICE',
    exemptions: 'EXEMPT',
    year_built: 'BUILT',
  } satisfies typeof columnMap.static
  const readAll = (...rows: Record<string, unknown>[]) =>
    readRecords(
      rows.map((row) => ({ PIN: '7', ...row })),
      { columns },
      (row, column) => readDate(String(row[column] ?? '')),
    )

  test('lists in which a row without a year differs are unknown, not empty', () => {
    const { scrape } = readAll({ YEAR: 2025, EXEMPT: 'HS', BUILT: 1987 }, { EXEMPT: 'OV65', BUILT: 1999 })
    expect(scrape.exemptions).toBeUndefined()
    expect(scrape.improvements).toBeUndefined()
    const same = readAll({ YEAR: 2025, EXEMPT: 'HS' }, { EXEMPT: 'HS' }).scrape
    expect([same.exemptions, same.improvements]).toEqual([[{ code: 'HS' }], []])
  })

  test('a sale whose date cannot be read leaves the sales out', () => {
    const dated = { YEAR: 2025, SOLD: '2019-03-14', PRICE: 5 }
    expect(readAll(dated).scrape.sale_history).toHaveLength(1)
    expect(readAll(dated, { YEAR: 2024, SOLD: 'spring of 1998', PRICE: 3 }).scrape.sale_history).toBeUndefined()
    expect(readAll(dated, { YEAR: 2024, SOLD: null }).scrape.sale_history).toHaveLength(1)
  })
})
