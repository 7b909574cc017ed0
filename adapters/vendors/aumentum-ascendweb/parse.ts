import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readCityStateZip,
  readDate,
  readMoney,
  readMoneyTotal,
  readName,
  readText,
  readYear,
} from '../../reading/values'
import type { Sale, Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** One parcel's page, and its installments if it links to them. */
export const parseParcel = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'property')
  const document = documentNamed(documents, 'property')
  const situs = page.get('[id$="ParcelSitusTable"]', 'ParcelSitusTable')
  const general = page.get('[id$="mGeneralInformation"]', 'mGeneralInformation')
  const characteristics = page.get('[id$="mPropertyCharacteristics"]', 'mPropertyCharacteristics')
  const account = situs.getBeside('Account Number').text
  const parcelNumber = config.parcel_id === 'account' ? account : general.getBeside('Alternate Property #').text

  const owners = readOwners(page)
  const history = readHistory(page, config).sort((one, other) => other.year - one.year)
  const [latest] = history
  const yearBuilt = readYear(characteristics.findBeside('Year Built')?.text)
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ...readPlace(situs.getBeside('Property Address').text),
      ownerName: owners?.[0],
      ownerNamesAll: owners,
      landUseClass: readText(characteristics.getBeside('Property Class Category').text),
      acreage: readAcres(characteristics.getBeside('Acreage').text),
      valueLand: latest?.land,
      valueImprovement: latest?.improvement,
      assessedValue: latest?.assessed,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: history.map(({ year }) => year) }),
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

/** Rows that begin with "Owner" have the name in their third cell, if they have as many cells as the headings above them. */
const readOwners = (page: Region): string[] | undefined => {
  // A table that contains other tables is for layout.
  const innermost = page.all('table').filter((table) => table.find('table') === undefined)
  const names = innermost.flatMap((table) => {
    const [headings, ...others] = table.all('tr').map((row) => row.all('td, th'))
    const owners = others.filter(isOwner)
    if (headings !== undefined && isOwner(headings)) throw new ScrapeError('page_changed', 'no headings above "Owner"')
    const ragged = owners.find((cells) => cells.length !== headings?.length || cells.length < 3)
    if (ragged !== undefined) throw new ScrapeError('page_changed', `a row of "Owner" has ${ragged.length} cells`)
    return owners.flatMap(([, , name]) => readName(name?.text) ?? [])
  })
  return names.length === 0 ? undefined : names
}

const isOwner = ([role]: Region[]): boolean => wordsOf(role?.shortText ?? '') === 'owner'

/** One row per kind of value, one column per year. */
const readHistory = (page: Region, { value_types }: Config): Valuation[] => {
  const table = page.get('[id$="mPropertyValues"]', 'mPropertyValues').getTable(['Value Type'])
  const rowOf = (type: string | undefined) => {
    if (type === undefined || table.rows.length === 0) return undefined
    const row = table.rows.find((candidate) => wordsOf(candidate.text('Value Type') ?? '') === wordsOf(type))
    if (row === undefined) throw new ScrapeError('page_changed', `no "${type}" under "mPropertyValues"`)
    return row
  }
  const rows = {
    land: rowOf(value_types.land),
    improvement: rowOf(value_types.improvement),
    total: rowOf(value_types.total),
    assessed: rowOf(value_types.assessed),
  }
  return table.headings.flatMap((heading) => {
    const year = readYear(heading)
    const values = present<Omit<Valuation, 'year'>>({
      land: readMoney(rows.land?.text(heading)),
      improvement: readMoney(rows.improvement?.text(heading)),
      total: readMoney(rows.total?.text(heading)),
      assessed: readMoney(rows.assessed?.text(heading)),
    })
    return year === undefined || Object.keys(values).length === 0 ? [] : [{ year, ...values }]
  })
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
        document_number: readText(row.text('Recording Number')),
      }),
    )

/** One statement per year; a year may have several districts and due dates. */
const readStatements = (documents: readonly RawDocument[]): Statement[] | undefined => {
  if (!documents.some(({ name }) => name === 'installments')) return undefined
  const { rows } = readPage(documents, 'installments').getTable(['Tax Year', 'Charged', 'Balance Due', 'Due Date'])
  const years = Map.groupBy(rows, (row) => readYear(row.text('Tax Year')))
  return [...years].flatMap(([year, parts]) => {
    if (year === undefined) return []
    const dates = new Set(parts.map((row) => readDate(row.text('Due Date'))))
    return [
      {
        tax_year: year,
        ...present<Omit<Statement, 'tax_year'>>({
          billed: readMoneyTotal(parts.map((row) => row.text('Charged'))),
          due: readMoneyTotal(parts.map((row) => row.text('Balance Due'))),
          due_on: dates.size === 1 ? [...dates][0] : undefined,
        }),
      },
    ]
  })
}
