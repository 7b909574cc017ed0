import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { LabelledValues } from '../../reading/labelled-values'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { findColumns } from '../../reading/tables/find-columns'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readCityStateZip,
  readDate,
  readMoney,
  readMoneyTotal,
  readNames,
  readRecordingNumber,
  readText,
  readYear,
  readYearIn,
} from '../../reading/values'
import type { Sale, Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { readFoundOwners } from './found-accounts'

/** Counties name these differently. */
const LABELS = {
  landUse: ['Property Class Category', 'Use Code'],
  acreage: ['Acreage', 'Account Acres'],
}

/** One parcel's page, and its installments if it links to them. */
export const parseParcel = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'property')
  const document = documentNamed(documents, 'property')
  const situs = page.get('[id$="ParcelSitusTable"]', 'ParcelSitusTable')
  const general = page.get('[id$="mGeneralInformation"]', 'mGeneralInformation')
  const characteristics = page.get('[id$="mPropertyCharacteristics"]', 'mPropertyCharacteristics')
  const places = new LabelledValues(situs, ['Account Number', 'Property Address'])
  const account = places.get('Account Number').text
  const parcelNumber = config.parcel_id === 'account' ? account : general.getBeside('Alternate Property #').text

  const owners = readOwners(page) ?? findOwnersInResults(documents, account)
  const history = readHistory(page, config)?.sort((one, other) => other.year - one.year)
  const latest = history?.[0]
  const yearBuilt = readYear(characteristics.findOnlyBeside('Year Built')?.text)
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ...readPlace(places.get('Property Address').text),
      ownerName: owners?.[0],
      ownerNamesAll: owners,
      landUseClass: readText(getEither(characteristics, LABELS.landUse).text),
      acreage: readAcres(getEither(characteristics, LABELS.acreage).text),
      valueLand: latest?.land,
      valueImprovement: latest?.improvement,
      assessedValue: latest?.assessed,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: history?.map(({ year }) => year) ?? [] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners?.[0],
        owners: owners?.map((name) => ({ name })),
        valuation_history: history,
        exemptions: page.find('[id$="mActiveExemptions"]')?.says('No Exemptions Found') ? [] : undefined,
        improvements: yearBuilt === undefined ? undefined : [{ year_built: yearBuilt }],
        sale_history: readSales(page),
        statements: readStatements(documents),
      }),
    },
  }
}

/** `118 QUILL FEATHER LN, LARKSPUR, OR 97999`. */
const readPlace = (address: string): ParcelFields => {
  const [street, ...rest] = address.split(',')
  const { city, state, zip } = readCityStateZip(rest.join(','))
  if (state === undefined) return present<ParcelFields>({ situsAddress: readText(address) })
  return present<ParcelFields>({ situsAddress: readText(street), situsCity: city, situsState: state, situsZip: zip })
}

/** The value beside the first of these labels. @throws ScrapeError `page_changed` naming them when there is none */
const getEither = (region: Region, labels: readonly string[]): Region => {
  const found = labels.map((label) => region.findBeside(label)).find((value) => value !== undefined)
  if (found !== undefined) return found
  throw new ScrapeError('page_changed', `no "${labels.join('" or "')}" under "${region.name}"`)
}

/** The exact headings are not known in all counties. */
const PARTIES = { role: /\brole\b/, name: /\bname\b/ }

/** The names in rows with the role "Owner", if they have as many cells as the headings above them. Address rows have a different number. */
const readOwners = (page: Region): string[] | undefined => {
  // A table that contains other tables is layout, except the table of parties.
  const tables = page.all('table').filter(isTableOfRecords)
  const names = tables.flatMap((table) => {
    const [headings, ...others] = table.all('> tbody > tr').map((row) => row.all('> td, > th'))
    const owners = others.filter((cells) => cells.some(isOwner))
    if (headings === undefined || owners.length === 0) return []
    const columns = findColumns(
      headings.map(({ shortText }) => shortText),
      PARTIES,
      'mParties',
    )
    const { role = -1, name = -1 } = columns
    const isMoved = (cells: Region[]) => cells.length !== headings.length || !isOwner(cells[role]) || name === -1
    // Addresses are in rows with more cells. A row with fewer cells, or without a role, may be an owner's.
    const isUnknown = (cells: Region[]) =>
      cells.length > 1 &&
      (cells.length < headings.length ||
        (cells.length === headings.length && cells[role]?.text === '' && cells[name]?.text !== ''))
    const moved = owners.find(isMoved) ?? others.find(isUnknown)
    if (moved !== undefined) {
      throw new ScrapeError('page_changed', `no role or name in a row of "Owner", which has ${moved.length} cells`)
    }
    return readNames(owners.map((cells) => cells[name]?.text ?? ''))
  })
  return names.length === 0 ? undefined : names
}

const isTableOfRecords = (table: Region): boolean =>
  table.attribute('id')?.endsWith('mParties') === true || table.find('table') === undefined

const isOwner = (cell: Region | undefined): boolean => wordsOf(cell?.shortText ?? '') === 'owner'

/** In some counties, only the results name the owners. */
const findOwnersInResults = (documents: readonly RawDocument[], account: string): string[] | undefined => {
  const results = documents.find(({ name }) => name === 'results')
  const names = results === undefined ? [] : readFoundOwners(results, account)
  return names.length === 0 ? undefined : names
}

/** One row per kind of value, one column per year. Undefined when no value of these kinds can be read, although there are rows. */
const readHistory = (page: Region, { value_types }: Config): Valuation[] | undefined => {
  const table = page.get('[id$="mPropertyValues"]', 'mPropertyValues').getTable(['Value Type'])
  if (table.rows.length === 0) return []
  const columns = table.headings.flatMap((heading, column) => {
    const year = readYearIn(heading)
    return year === undefined ? [] : [[year, column] as const]
  })
  const isNameless = (heading: string, column: number) =>
    heading === '' && table.rows.some(({ cells }) => (cells[column]?.text ?? '') !== '')
  const hasYearTwice = new Set(columns.map(([year]) => year)).size < columns.length
  // Values below a blank heading may be the latest ones.
  if (columns.length === 0 || hasYearTwice || table.headings.some(isNameless)) {
    const headings = `"${table.headings.join('", "')}"`
    throw new ScrapeError(
      'page_changed',
      `no year, or one year twice, in the headings of "mPropertyValues": ${headings}`,
    )
  }
  const kinds = Object.entries(value_types).map(([kind, type]) => {
    const found = table.rows.filter((candidate) => wordsOf(candidate.text('Value Type') ?? '') === wordsOf(type))
    const [row] = found
    if (row === undefined) throw new ScrapeError('page_changed', `no "${type}" under "mPropertyValues"`)
    if (new Set(found.map(({ cells }) => JSON.stringify(cells.map(({ text }) => text)))).size > 1) {
      throw new ScrapeError('page_changed', `several rows "${type}" under "mPropertyValues", which differ`)
    }
    return [kind, row] as const
  })
  const history = columns.flatMap(([year, column]) => {
    const values = present<Omit<Valuation, 'year'>>(
      Object.fromEntries(kinds.map(([kind, row]) => [kind, readMoney(row.cells[column]?.text)])),
    )
    return Object.keys(values).length === 0 ? [] : [{ year, ...values }]
  })
  return history.length === 0 ? undefined : history
}

const readSales = (page: Region): Sale[] =>
  page
    .get('[id$="mSalesHistory"]', 'mSalesHistory')
    .getTable(['Transfer Date', 'Recording Number', 'Sale Amount', 'Deed Type'], { unless: /no sales? .*found/i })
    .rows.map((row) =>
      present<Sale>({
        sold_on: readDate(row.text('Transfer Date')),
        price: readMoney(row.text('Sale Amount')),
        deed_type: readText(row.text('Deed Type')),
        document_number: readRecordingNumber(row.text('Recording Number')),
      }),
    )

/** One statement per year; a year may have several districts and due dates. */
const readStatements = (documents: readonly RawDocument[]): Statement[] | undefined => {
  if (!documents.some(({ name }) => name === 'installments')) return undefined
  const { rows } = readPage(documents, 'installments').getTable(['Tax Year', 'Charged', 'Balance Due', 'Due Date'])
  const parts = rows.map((row) => row)
  const years = Map.groupBy(parts, (row) => readYear(row.text('Tax Year')))
  return [...years].flatMap(([year, ofYear]) => {
    // Its amounts may belong to any year.
    if (year === undefined) throw new ScrapeError('page_changed', 'an installment without its "Tax Year"')
    const dates = new Set(ofYear.map((row) => readDate(row.text('Due Date'))))
    return [
      {
        tax_year: year,
        ...present<Omit<Statement, 'tax_year'>>({
          billed: readMoneyTotal(ofYear.map((row) => row.text('Charged'))),
          due: readMoneyTotal(ofYear.map((row) => row.text('Balance Due'))),
          due_on: dates.size === 1 ? [...dates][0] : undefined,
        }),
      },
    ]
  })
}
