import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { LabelledValues } from '../../reading/labelled-values'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import {
  present,
  readAcres,
  readAddress,
  readCount,
  readDate,
  readMoney,
  readName,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

const LABELS = [
  'Location',
  'Property Account Number',
  'Parcel ID',
  'Old Parcel ID',
  'Owner',
  'City',
  'State',
  'Address',
  'Zip',
  'Zoning',
  'Sale Date',
  'Legal Reference',
  'Sale Price',
  'Grantor(Seller)',
  'Year',
  'Building Value',
  'Xtra Features Value',
  'Land Area',
  'Land Value',
  'Total Value',
]

const EXPIRED = /no search has been executed or your session has timed out/i
/** Such a line belongs to the address. */
const CARE_OF = /^(?:c\/o|attn|%)/i

/** One summary. Only its labels identify the values. */
export const parseSummary = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'summary')
  if (page.says(EXPIRED)) throw new ScrapeError('network', 'the portal lost the session before it showed the parcel')
  if (
    page.findBeside('Property Account Number') === undefined &&
    page.findBeside('Parcel ID') === undefined &&
    saysNothingFound(page)
  ) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  const values = new LabelledValues(page, LABELS)
  const text = (label: string) => readText(values.get(label).text)
  const money = (label: string) => readMoney(values.get(label).text)
  const account = values.get('Property Account Number').text
  const parcel = values.get('Parcel ID').text

  values.get('Owner')
  const [careOf, ownerLines] = partition(readContinued(page, 'Owner'), (line) => CARE_OF.test(line))
  const owners = ownerLines.flatMap((line) => readName(line) ?? [])
  const year = readYear(values.get('Year').text)
  const worth = present<Omit<Valuation, 'year'>>({
    land: money('Land Value'),
    improvement: sum(money('Building Value'), money('Xtra Features Value')),
    total: money('Total Value'),
  })
  const document = documentNamed(documents, 'summary')
  return {
    shownIds: [config.parcel_id === 'account' ? account : parcel],
    fields: present<ParcelFields>({
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: readMailingAddress(page, values, careOf),
      situsAddress: text('Location'),
      zoningCode: text('Zoning'),
      landUseClass: readText(/\bclassified as (.+?) with an?\b/i.exec(page.text)?.[1]),
      acreage: readAcres(values.get('Land Area').text),
      assessedValue: worth.total,
      valueLand: worth.land,
      valueImprovement: worth.improvement,
    }),
    scrape: {
      parcel_number: readText(parcel) ?? account,
      // All parcels have the same URL, so its validators are useless.
      fetched_at: stampOf(document).fetched_at,
      ...asOf({ headers: {} }, { years: [year] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        valuation_history: year === undefined || Object.keys(worth).length === 0 ? undefined : [{ year, ...worth }],
        sale_history: readLastSale(values),
        improvements: readBuilding(page),
      }),
    },
  }
}

const readMailingAddress = (page: Region, values: LabelledValues, careOf: readonly string[]): string | undefined => {
  const text = (label: string) => readText(values.get(label).text) ?? ''
  values.get('Address')
  const lines = readContinued(page, 'Address')
  const street = lines.length === 0 ? [] : [...careOf, ...lines]
  const place = `${text('State')} ${text('Zip')}`.trim()
  return readAddress([...street, text('City'), place].filter((part) => part !== ''))
}

/** The lines of a value and of the rows that continue it. */
const readContinued = (page: Region, label: string): string[] => page.getValues(label).flatMap(readParts)

/** Several texts with separate `font` elements in one cell are several lines. */
const readParts = (cell: Region): string[] => {
  const texts = cell.all('font:not(:has(font))').map(({ text }) => text)
  const parts = texts.filter((text) => text !== '')
  // Without the first owner, the second would be taken for the first.
  if (texts[0] === '' && parts.length > 0) throw new ScrapeError('page_changed', `a blank font before "${cell.name}"`)
  return parts.join(' ') === cell.text ? parts : cell.lines
}

const partition = <Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
]

/** Undefined when either is undefined. */
const sum = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : one + other

/** `1204-88` is book and page; any other form is a document number. */
const readLastSale = (values: LabelledValues): Sale[] | undefined => {
  const reference = readText(values.get('Legal Reference').text)
  const [, book, page] = /^(\d+)-(\d+)$/.exec(reference ?? '') ?? []
  const sale = present<Sale>({
    sold_on: readDate(values.get('Sale Date').text),
    price: readMoney(values.get('Sale Price').text),
    grantor: readName(values.get('Grantor(Seller)').text),
    book,
    page,
    document_number: book === undefined ? reference : undefined,
  })
  if (sale.sold_on !== undefined) return [sale]
  // If all cells are blank, there is no sale. Otherwise its date is unknown.
  return Object.keys(sale).length === 0 ? [] : undefined
}

/** The building is described only in sentences: "a Colonial style building, built about 1987, having ... 3 total bedroom(s) ...". */
const readBuilding = (page: Region): Improvement[] | undefined => {
  const find = (pattern: RegExp) => pattern.exec(page.text)?.[1]
  const building = present<Improvement>({
    type: readText(find(/\bwith an?(?:\(n\))? (.{1,60}?) style building\b/i)),
    year_built: readYear(find(/\bbuilt about (\d{4})\b/i)),
    bedrooms: readCount(find(/\b(\d+) total bedroom/i)),
    bathrooms: readCount(find(/\b(\d+(?:\.\d+)?) total bath/i)),
  })
  return Object.keys(building).length === 0 ? undefined : [building]
}
