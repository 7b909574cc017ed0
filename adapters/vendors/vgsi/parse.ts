import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import {
  present,
  readAcres,
  readAddress,
  readDate,
  readMoney,
  readName,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

const NONE = /no data/i

/** One parcel page. The part of an id before the name changes with the page's layout. */
export const parseParcel = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  if (/Error\.aspx/i.test(page.find('form#form1')?.attribute('action') ?? '')) {
    throw new ScrapeError('not_found', `the portal shows an error instead of parcel "${target.sourceParcelId}"`)
  }
  const get = (name: string) => page.get(`[id$="_${name}"]`, name)
  const find = (name: string) => page.find(`[id$="_${name}"]`)?.text
  const shown = { pid: get('lblPid').text, mblu: get('lblMblu').text, account: find('lblAcctNum') ?? '' }

  const owners = [get('lblGenOwner').text, find('lblCoOwner')].flatMap((name) => readName(name) ?? [])
  const appraised = readCurrent(page, config.appraisal_table)
  const assessed = readCurrent(page, config.assessment_table)
  const history = readHistory(page, appraised, assessed)
  const document = documentNamed(documents, 'parcel')
  return {
    shownIds: [shown[config.parcel_id]],
    fields: present<ParcelFields>({
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: readAddress(get('lblAddr1').lines),
      situsAddress: readText(get('lblLocation').text),
      landUseClass: readText(find('lblUseCodeDescription')),
      zoningCode: readText(find('lblZone')),
      acreage: readAcres(find('lblLndAcres')) ?? readSize(find('lblLndSize')),
      assessedValue: readMoney(get('lblGenAssessment').text),
      valueLand: readMoney(find('lblLndAppr')),
      valueImprovement: appraised[0]?.improvement,
    }),
    scrape: {
      parcel_number: readText(shown.mblu) ?? shown.pid,
      ...stampOf(document),
      ...asOf(document, { years: history.map(({ year }) => year) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        valuation_history: history,
        sale_history: readSales(get('grdSales')),
        improvements: readBuildings(page),
      }),
    },
  }
}

/** Another field of the page says whether a bare number is acres. */
const readSize = (text: string | undefined): number | undefined =>
  /ac/i.test(text ?? '') ? readAcres(text) : undefined

type YearOfValues = Pick<Valuation, 'year' | 'improvement' | 'land' | 'total'>

const readValues = (table: Region): YearOfValues[] =>
  table.getTable(['Valuation Year', 'Improvements', 'Land', 'Total'], { unless: NONE }).rows.flatMap((row) => {
    const year = readYear(row.text('Valuation Year'))
    const values = present<Omit<YearOfValues, 'year'>>({
      improvement: readMoney(row.text('Improvements')),
      land: readMoney(row.text('Land')),
      total: readMoney(row.text('Total')),
    })
    return year === undefined ? [] : [{ year, ...values }]
  })

const readCurrent = (page: Region, id: string | undefined): YearOfValues[] =>
  id === undefined ? [] : readValues(page.get(`[id$="_${id}"]`, id))

/** The appraised values, and the total of the assessment. */
const readHistory = (page: Region, appraised: YearOfValues[], assessed: YearOfValues[]): Valuation[] => {
  const tableOf = (id: string) => {
    const table = page.find(`[id$="_${id}"]`, id)
    return table === undefined ? [] : readValues(table)
  }
  const byYear = new Map<number, Valuation>()
  for (const values of [...appraised, ...tableOf('grdHistoryValuesAppr')]) byYear.set(values.year, values)
  for (const { year, total } of [...assessed, ...tableOf('grdHistoryValuesAsmt')]) {
    if (total !== undefined) byYear.set(year, { ...(byYear.get(year) ?? { year }), assessed: total })
  }
  return [...byYear.values()].toSorted((one, other) => other.year - one.year)
}

/** Each row is an owner and how the owner acquired the parcel. */
const readSales = (table: Region): Sale[] =>
  table.getTable(['Owner', 'Sale Price', 'Sale Date'], { unless: NONE }).rows.map((row) => {
    const [book, page, ...others] = (readText(row.text('Book & Page')) ?? '').split('/')
    return present<Sale>({
      sold_on: readDate(row.text('Sale Date')),
      price: readMoney(row.text('Sale Price')),
      grantee: readName(row.text('Owner')),
      book: others.length > 0 ? undefined : readText(book),
      page: others.length > 0 ? undefined : readText(page),
    })
  })

const readBuildings = (page: Region): Improvement[] =>
  page.all('[id$="_lblYearBuilt"]').flatMap((yearBuilt) => {
    const building = (yearBuilt.attribute('id') as string).slice(0, -'lblYearBuilt'.length)
    const found = present<Improvement>({
      year_built: readYear(yearBuilt.text),
      living_area_sq_ft: readLivingArea(page, `${building}grdSub`),
    })
    return Object.keys(found).length === 0 ? [] : [found]
  })

/** The sum of a building's parts, if the total row (the one without a code) shows the same. */
const readLivingArea = (page: Region, id: string): number | undefined => {
  const rows = page.find(`[id="${id}"]`)?.findTable(['Code', 'Description', 'Gross Area', 'Living Area'])?.rows ?? []
  const areas = rows.map((row) => ({ code: row.text('Code'), area: readSquareFeet(row.text('Living Area')) }))
  const total = areas.find(({ code }) => code === '')?.area
  const sum = areas.reduce((before, { code, area }) => (code === '' ? before : before + (area ?? 0)), 0)
  return sum === total ? total : undefined
}
