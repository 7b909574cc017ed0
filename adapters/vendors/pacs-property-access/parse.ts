import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import type { Region, Row } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import {
  present,
  readAcres,
  readAddress,
  readCityStateZip,
  readDate,
  readMoney,
  readName,
  readPercent,
  readRecordingNumber,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** "No improvements exist for this property." was seen; other empty sections probably use the same words. */
const NONE = /\bno [\w ]+ exists? for this property/i

/**
 * `2020 data current as of Nov  6 2019  1:25AM.`, `2019 and prior year data current as of ...`: if a district states it for the
 * page's year, it is more accurate than the footer, which is about the whole database.
 */
const findYearsAge = (page: Region): string | undefined => {
  const shown = readYear(/for Year (\d{4})/i.exec(page.find('[id$="propertyInfo"]')?.text ?? '')?.[1])
  for (const line of page.lines) {
    const [, year, prior, day] = /^(\d{4})( and prior years?)? data current as of (\w+ \d+,? \d{4})/i.exec(line) ?? []
    if (shown === undefined || year === undefined) continue
    if (shown === Number(year) || (prior !== undefined && shown < Number(year))) return readDate(day)
  }
  return undefined
}

/** One property page. */
export const parseProperty = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'property')
  const document = documentNamed(documents, 'property')
  const details = page.get('table[summary="Property Details"]', 'Property Details')
  const geographicId = details.getBeside('Geographic ID:').text
  const propertyId = details.getBeside('Property ID:').text
  if (geographicId === '')
    throw new ScrapeError('page_changed', 'nothing beside "Geographic ID:" under "Property Details"')

  const owner = readName(details.getBeside('Name:').text)
  const values = readValues(page.get('table[summary="Property Values"]', 'Property Values'))
  const history = readHistory(page)
  return {
    shownIds: [config.parcel_id === 'geographic' ? geographicId : propertyId],
    fields: present<ParcelFields>({
      ...readPlace(details),
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : [owner],
      ownerMailingAddress: readAddress(details.getBeside('Mailing Address:').lines),
      landUseClass: readText(details.findBeside('Property Use Description:')?.text),
      zoningCode: readText(details.findBeside('Zoning:')?.text),
      acreage: readAcreage(page),
      ...values,
    }),
    scrape: {
      parcel_number: geographicId,
      ...stampOf(document),
      ...asOf(document, {
        marker: findYearsAge(page),
        footer: readDate(page.findLine('Database last updated on:')),
        years: history.map(({ year }) => year),
      }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : [{ name: owner, ...readShare(details) }],
        exemptions: readExemptions(details),
        valuation_history: history,
        improvements: readImprovements(page),
        sale_history: readSales(page),
      }),
    },
  }
}

const readShare = (details: Region) =>
  present<{ ownership_pct: number }>({ ownership_pct: readPercent(details.getBeside('% Ownership:').text) })

/** Street on the first line, the rest on the last. */
const readPlace = (details: Region): ParcelFields => {
  const lines = details.getBeside('Address:').lines
  const { city, state, zip } = readCityStateZip(lines.length > 1 ? lines.at(-1) : undefined)
  return present<ParcelFields>({ situsAddress: readText(lines[0]), situsCity: city, situsState: state, situsZip: zip })
}

/** Codes only: `HS, OV65`. */
const readExemptions = (details: Region) =>
  (readText(details.getBeside('Exemptions:').text)?.split(',') ?? []).flatMap((code) => {
    const text = readText(code)
    return text === undefined ? [] : [{ code: text }]
  })

/** Market values of land (with farm and timber land) and improvements; the assessed value is after reductions and caps. */
const readValues = (table: Region): ParcelFields => {
  // Label, sign, amount, and for farm and timber land the use value.
  const amount = (label: string) => readMoney(table.getCells(label, 3)[1]?.text)
  // These two are "N/A" for other kinds of land.
  const farmland = amount('(+) Agricultural Market Valuation:') ?? 0
  const timber = amount('(+) Timber Market Valuation:') ?? 0
  const land = sum(amount('(+) Land Homesite Value:'), amount('(+) Land Non-Homesite Value:'), farmland, timber)
  return present<ParcelFields>({
    valueImprovement: sum(amount('(+) Improvement Homesite Value:'), amount('(+) Improvement Non-Homesite Value:')),
    valueLand: land,
    assessedValue: amount('(=) Assessed Value:'),
    isAgricultural: land === undefined ? undefined : farmland > 0,
  })
}

/** Undefined when one of them is undefined. */
const sum = (...amounts: (number | undefined)[]): number | undefined =>
  amounts.reduce((total, amount) => (total === undefined || amount === undefined ? undefined : total + amount), 0)

const readAcreage = (page: Region): number | undefined => {
  const { rows } = page.get('#landDetails', 'Land').getTable(['Type', 'Acres', 'Sqft'], { unless: NONE })
  // A row without a type may be the sum of the others.
  const acres = rows.map((row) => (readText(row.text('Type')) === undefined ? undefined : readAcres(row.text('Acres'))))
  // A partial sum would not be the parcel's acreage.
  if (acres.length === 0 || !acres.every((part) => part !== undefined)) return undefined
  // Four decimals are printed: the sum must not show more.
  return Number(acres.reduce((total, part) => total + part, 0).toFixed(4))
}

/** The coming year has `N/A` until its roll is certified. */
const readHistory = (page: Region): Valuation[] => {
  const { rows } = page.getTable(['Year', 'Improvements', 'Land Market', 'Appraised', 'Assessed'])
  return rows.flatMap((row) => {
    const year = readYear(row.text('Year'))
    const values = present<Omit<Valuation, 'year'>>({
      improvement: readMoney(row.text('Improvements')),
      land: readMoney(row.text('Land Market')),
      total: readMoney(row.text('Appraised')),
      assessed: readMoney(row.text('Assessed')),
    })
    return year === undefined || Object.keys(values).length === 0 ? [] : [{ year, ...values }]
  })
}

/** The last three deeds. Texas discloses no prices. */
const readSales = (page: Region): Sale[] => {
  const { rows } = page
    .get('#deedHistoryDetails', 'Deed History')
    .getTable(['Deed Date', 'Type', 'Description', 'Grantor', 'Grantee', 'Volume', 'Page', 'Deed Number'], {
      unless: NONE,
    })
  return rows.map((row) =>
    present<Sale>({
      sold_on: readDate(row.text('Deed Date')),
      deed_type: readText(row.text('Description')),
      grantor: readName(row.text('Grantor')),
      grantee: readName(row.text('Grantee')),
      book: readRecordingNumber(row.text('Volume')),
      page: readRecordingNumber(row.text('Page')),
      document_number: readRecordingNumber(row.text('Deed Number')),
    }),
  )
}

const readImprovements = (page: Region): Improvement[] => {
  const section = page.get('#improvementBuildingDetails', 'Improvement / Building')
  const tables = section.all('table[summary^="Improvement #"]')
  if (tables.length === 0 && !section.says(NONE)) section.get('table[summary^="Improvement #"]', 'Improvement #1')
  const details = tables.map((table) => table.findNext('table.improvementDetails'))
  // Each list of parts is right below its building. If one is elsewhere, it is unclear which building it belongs to.
  const areBelow = details.filter(Boolean).length === section.all('table.improvementDetails').length
  if (!areBelow) noteWarning('lists of parts are not right below their improvements, so they were left out')
  return tables.map((table, index) => {
    const parts = areBelow ? (details[index]?.getTable(['Type', 'Year Built']).rows ?? []) : []
    const livingArea = readSquareFeet(table.getBeside('Living Area:').text)
    return present<Improvement>({
      number: String(index + 1),
      type: readText(table.getBeside(`Improvement #${index + 1}:`).text),
      description: readText(findMainPart(parts, livingArea)?.text('Description')),
      living_area_sq_ft: livingArea,
      value: readMoney(table.getBeside('Value:').text),
      // The main area comes first.
      year_built: readYear(parts[0]?.text('Year Built')),
    })
  })
}

/** The first part, if it is the living area (with upper floors: `LA`, `LA2`) or the only part of a building without one. */
const findMainPart = (parts: readonly Row[], livingArea: number | undefined): Row | undefined => {
  const [first] = parts
  const type = readText(first?.text('Type'))
  if (first === undefined || type === undefined) return undefined
  if (!livingArea) return parts.length === 1 ? first : undefined
  const floors = parts.filter((part) => part.text('Type')?.startsWith(type))
  const area = floors.reduce((total, part) => total + (readSquareFeet(part.text('SQFT')) ?? Number.NaN), 0)
  return Math.abs(area - livingArea) < 1 ? first : undefined
}
