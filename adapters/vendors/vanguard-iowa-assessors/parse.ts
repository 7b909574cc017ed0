import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import {
  present,
  readAddress,
  readCityStateZip,
  readDate,
  readMoney,
  readName,
  readRecordingNumber,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** One parcel's page. */
export const parseParcel = (
  documents: readonly RawDocument[],
  target: ScrapeTarget,
  { labels, residence_columns }: Config,
): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  const holders = page.allBeside('Deed Holder:')
  if (holders.length === 0 && page.says(/\bno (?:parcels?|records?|results?) (?:\w+ )?found/i)) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  const parcelNumber = page.getBeside(labels.parcel).text

  if (holders.length === 0) page.getBeside('Deed Holder:')
  // Further lines may or may not be names.
  const owners = holders.flatMap(({ lines }) => readName(lines[0]) ?? [])
  const [owner] = owners
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : owners,
      ownerMailingAddress: labels.mailing === undefined ? undefined : readAddress(page.getBeside(labels.mailing).lines),
      landUseClass: labels.class === undefined ? undefined : readText(page.getBeside(labels.class).text),
      ...readPlace(page.getBeside('Property Address:').lines),
      ...readValues(page),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, {}),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : owners.map((name) => ({ name })),
        sale_history: readSales(page),
        improvements: residence_columns === undefined ? undefined : readResidences(page, residence_columns),
      }),
    },
  }
}

/** The second line is the city, with or without state and ZIP. */
const readPlace = ([street, town]: readonly string[]): ParcelFields => {
  const { city, state, zip } = readCityStateZip(town)
  return present<ParcelFields>({
    situsAddress: readText(street),
    situsCity: city ?? readText(town),
    situsState: state,
    situsZip: zip,
  })
}

/** The headings differ by kind of property; only "Land" is always there. */
const readValues = (page: Region): ParcelFields => {
  const heading = page.all('th').find((cell) => /\bland\b/i.test(cell.text))
  if (heading === undefined) throw new ScrapeError('page_changed', 'no heading "Land" on the parcel page')
  const table = page.getTable([heading.text])
  const { headings } = table
  const rows = table.rows.map((row) => row)
  // They may be years, classes or buildings.
  if (rows.length > 1) throw new ScrapeError('page_changed', `${rows.length} rows of values on the parcel page, not 1`)
  const column = (words: RegExp) => headings.filter((text) => words.test(text))
  const amounts = (names: readonly string[]) => names.map((name) => readMoney(rows[0]?.text(name)))
  const [total] = amounts(getOne(column(/\btotal\b/i), 'Total'))
  const [land] = amounts(getOne(column(/\bland\b/i), 'Land'))
  const buildings = amounts(column(/\b(?:building|dwelling|improvement)/i))
  const improvement =
    buildings.length === 0 || buildings.includes(undefined)
      ? undefined
      : buildings.reduce<number>((sum, amount) => sum + (amount ?? 0), 0)
  // Another column with such a heading may be for another year.
  const isSum = (land ?? 0) + (improvement ?? 0) === (total ?? 0)
  if (improvement !== undefined && !isSum) {
    noteWarning('land and improvements do not add up to the total, so the improvements were left out')
  }
  return present<ParcelFields>({
    valueLand: land,
    valueImprovement: isSum ? improvement : undefined,
    assessedValue: total,
  })
}

const getOne = (names: readonly string[], what: string): readonly string[] => {
  if (names.length === 1) return names
  throw new ScrapeError('page_changed', `${names.length} headings "${what}" above the values, not 1`)
}

/** There are two known layouts. A page with neither does not prove that nothing was sold. */
const readSales = (page: Region): Sale[] | undefined => {
  const blocks = page.all('.saleData')
  if (blocks.length > 0) return blocks.flatMap(readSaleColumns)
  const rows = page.all('div[id^="sale"]').filter((row) => /^sale\d+$/.test(row.attribute('id') ?? ''))
  return rows.length === 0 ? undefined : rows.map(readSaleRow)
}

const readSaleColumns = (block: Region): Sale[] => {
  const [dates = [], amounts = [], recordings = []] = ['.saleColumn', '.saleColumn2', '.saleColumn3'].map((column) =>
    block.all(column).map(({ text }) => text),
  )
  if (dates.length !== amounts.length || dates.length !== recordings.length) {
    throw new ScrapeError(
      'page_changed',
      `${dates.length} dates, ${amounts.length} amounts and ${recordings.length} recordings of sales`,
    )
  }
  return dates.flatMap((date, index) => {
    const soldOn = readDate(date)
    if (soldOn === undefined) {
      // The headings are in the same columns. They have no numbers.
      const isSale = [date, amounts[index], recordings[index]].some((text) => /[1-9]/.test(text ?? ''))
      if (isSale) throw new ScrapeError('page_changed', `a sale has "${date}" instead of its date`)
      return []
    }
    return [
      present<Sale>({
        sold_on: soldOn,
        price: readMoney(amounts[index]),
        document_number: readRecordingNumber(recordings[index]),
      }),
    ]
  })
}

/** Date and amount, identified by their format. The other cells are not known. */
const readSaleRow = (row: Region): Sale => {
  const [date, amount] = row.all('div').map(({ text }) => text)
  if (readDate(date) === undefined) throw new ScrapeError('page_changed', `a sale begins with "${date}", not its date`)
  return present<Sale>({
    sold_on: readDate(date),
    price: amount?.includes('$') ? readMoney(amount) : undefined,
  })
}

const readResidences = (page: Region, columns: number): Improvement[] =>
  page.allAround('div > img[id^="res"][id$="img"]').map((first) => {
    const cells = [first]
    for (let next = first.findNext('div'); next !== undefined; next = next.findNext('div')) cells.push(next)
    if (cells.length !== columns) {
      throw new ScrapeError('page_changed', `a residence has ${cells.length} columns, not ${columns}`)
    }
    const [type, , built, area] = cells.map(({ text }) => text)
    return present<Improvement>({
      type: readText(type),
      year_built: readYear(built),
      living_area_sq_ft: readSquareFeet(area),
    })
  })
