import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readCount,
  readMoney,
  readName,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Scrape, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** One summary. The start page only provides the session id and is not read. */
export const parseSummary = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'summary')
  const document = documentNamed(documents, 'summary')
  if (page.find('span.datalabel') === undefined && saysNothingFound(page)) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  const values = new SummaryValues(page)
  const parcelNumber = values.get(config.parcel_label).text

  const owner = readName(values.get('Owner').lines[0])
  const history = readHistory(page).sort((one, other) => other.year - one.year)
  const [latest] = history
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      situsAddress: readText(values.get('Parcel Address').lines[0]),
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : [owner],
      landUseClass: readText(values.find('Property Class Code')?.text),
      acreage: readAcres(values.get('Acreage').text),
      valueLand: latest?.land,
      valueImprovement: latest?.improvement,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: history.map(({ year }) => year) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : [{ name: owner }],
        valuation_history: history,
        improvements: readImprovements(page),
      }),
    },
  }
}

/** Values below a label in a row of only labels, or beside a label. Another label is not a value. */
class SummaryValues {
  readonly #page: Region
  /** Rows of only labels, each with its table. */
  readonly #labelRows: readonly { table: Region; labels: string[] }[]

  constructor(page: Region) {
    this.#page = page
    const innermost = page.all('table').filter((table) => table.find('table') === undefined)
    this.#labelRows = innermost.flatMap((table) =>
      table.all('tr').flatMap((row) => {
        const cells = row.all('td, th')
        const labels = cells.flatMap((cell) => cell.find('span.datalabel')?.text ?? [])
        return cells.length < 2 || labels.length < cells.length ? [] : { table, labels }
      }),
    )
  }

  find(label: string): Region | undefined {
    const row = this.#labelRows.find(({ labels }) => labels.some((text) => wordsOf(text) === wordsOf(label)))
    if (row !== undefined) {
      const cells = row.table.findTable(row.labels)?.rows.map((below) => below.cell(label)) ?? []
      if (new Set(cells.map((cell) => cell?.text)).size > 1) {
        throw new ScrapeError('page_changed', `${cells.length} values below "${label}", which differ`)
      }
      return cells[0]
    }
    const beside = this.#page.findBeside(label)
    const isLabel = beside?.attribute('class') === 'datalabel' || beside?.find('span.datalabel') !== undefined
    return isLabel ? undefined : beside
  }

  /** @throws ScrapeError `page_changed` naming the label that is missing or has no value */
  get(label: string): Region {
    const value = this.find(label)
    if (value === undefined) throw new ScrapeError('page_changed', `no "${label}" on the ${this.#page.name} page`)
    return value
  }
}

const readHistory = (page: Region): Valuation[] =>
  page.getTable(['Tax Year', 'Market']).rows.map((row) => {
    const year = readYear(row.text('Tax Year'))
    // The latest year's values become the parcel's, and a row without a year may be that row.
    if (year === undefined) throw new ScrapeError('page_changed', 'a row without its "Tax Year"')
    return {
      year,
      ...present<Omit<Valuation, 'year'>>({
        land: readMoney(row.text('Land')),
        improvement: readMoney(row.text('Improvements')),
        total: readMoney(row.text('Market')),
      }),
    }
  })

const readImprovements = (page: Region): Improvement[] | undefined =>
  page.findTable(['Constructed Year', 'Finished Sq. Ft.'])?.rows.map((row) =>
    present<Improvement>({
      year_built: readYear(row.text('Constructed Year')),
      living_area_sq_ft: readSquareFeet(row.text('Finished Sq. Ft.')),
      bedrooms: readCount(row.text('Bedrooms')),
    }),
  )
