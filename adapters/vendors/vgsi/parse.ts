import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteCombined } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readAddress,
  readCount,
  readDate,
  readMoney,
  readName,
  readNames,
  readRecordingNumber,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import { mergeYears } from '../../reading/years'
import type { Improvement, Sale, Scrape, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

const NONE = /no data/i
const HISTORY = ['grdHistoryValuesAppr', 'grdHistoryValuesAsmt'] as const

/** One parcel page. The part of an id before the name changes with the page's layout. */
export const parseParcel = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  if (/Error\.aspx/i.test(page.find('form#form1')?.attribute('action') ?? '')) {
    throw new ScrapeError('not_found', `the portal shows an error instead of parcel "${target.sourceParcelId}"`)
  }
  const get = (name: string) => page.get(`[id$="_${name}"]`, name)
  const find = (name: string) => page.find(`[id$="_${name}"]`)?.text
  const shown = { pid: get('lblPid').text, mblu: get('lblMblu').text, account: find('lblAcctNum') ?? '' }

  const owners = readNames([get('lblGenOwner').text, find('lblCoOwner') ?? ''])
  const { appraisal_table = 'grdCurrentValueAppr', assessment_table = 'grdCurrentValueAsmt' } = config
  expectKnownTables(page, [appraisal_table, assessment_table, ...HISTORY])
  const appraised = readCurrent(page, config.appraisal_table, appraisal_table)
  const assessed = readCurrent(page, config.assessment_table, assessment_table)
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
      acreage:
        readAcres(find('lblLndAcres')) ??
        readAcres(page.findBeside('Size (Acres)')?.text) ??
        readSize(find('lblLndSize')),
      assessedValue: readMoney(get('lblGenAssessment').text),
      valueLand: readMoney(find('lblLndAppr')),
      valueImprovement: appraised?.[0]?.improvement,
    }),
    scrape: {
      parcel_number: readText(shown.mblu) ?? shown.pid,
      ...stampOf(document),
      ...asOf(document, { years: history?.map(({ year }) => year) ?? [] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        valuation_history: history,
        sale_history: readSales(get('grdSales')),
        improvements: readBuildings(page, find('lblBldCount')),
      }),
    },
  }
}

/** Without a unit, the size could be square feet. */
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

const findValues = (page: Region, id: string): YearOfValues[] | undefined => {
  const table = page.find(`[id$="_${id}"]`, id)
  return table && readValues(table)
}

/** Every page must have a configured table, but not every page has the usual one. */
const readCurrent = (page: Region, configured: string | undefined, id: string): YearOfValues[] | undefined =>
  configured === undefined ? findValues(page, id) : readValues(page.get(`[id$="_${id}"]`, id))

/** @throws ScrapeError `page_changed` when a table of values has an unknown id, because a year would be missing */
const expectKnownTables = (page: Region, ids: readonly string[]): void => {
  const unknown = page
    .all('table:not(:has(table))')
    .filter((table) => table.find('th')?.shortText === 'Valuation Year')
    .map((table) => table.attribute('id') ?? '')
    .find((id) => !ids.some((known) => id.endsWith(`_${known}`)))
  if (unknown === undefined) return
  throw new ScrapeError('page_changed', `a table of values, "${unknown}", is none of "${ids.join('", "')}"`)
}

/** The appraised values, and the total of the assessment. Undefined when the page has no such table. */
const readHistory = (
  page: Region,
  appraised: YearOfValues[] | undefined,
  assessed: YearOfValues[] | undefined,
): Valuation[] | undefined => {
  const [appraisalsBefore, assessmentsBefore] = HISTORY.map((id) => findValues(page, id))
  const appraisals = [appraised, appraisalsBefore].filter((table) => table !== undefined)
  const assessments = [assessed, assessmentsBefore].filter((table) => table !== undefined)
  if (appraisals.length + assessments.length === 0) return undefined
  const ofAssessments = assessments.flat().map((entry) => {
    const { year, total } = entry
    const valuation = { year, ...present<Pick<Valuation, 'assessed'>>({ assessed: total }) }
    noteCombined(valuation, [entry])
    return valuation
  })
  return mergeYears([...appraisals.flat(), ...ofAssessments])
}

/** Each row is an owner and how the owner acquired the parcel. */
const readSales = (table: Region): Sale[] =>
  table.getTable(['Owner', 'Sale Price', 'Sale Date'], { unless: NONE }).rows.map((row) => {
    const [book, page, ...others] = (readText(row.text('Book & Page')) ?? '').split('/')
    return present<Sale>({
      sold_on: readDate(row.text('Sale Date')),
      price: readMoney(row.text('Sale Price')),
      grantee: readName(row.text('Owner')),
      book: others.length > 0 ? undefined : readRecordingNumber(book),
      page: others.length > 0 ? undefined : readRecordingNumber(page),
    })
  })

/** Parts of a building, by the end of their ids. The beginning of the id is the building's. */
const BUILDING_PARTS = ['lblYearBuilt', 'lblBldArea', 'grdCns', 'grdSub']

/** Undefined when the page has no information about buildings; empty when it says that there are none. */
const readBuildings = (page: Region, count: string | undefined): Improvement[] | undefined => {
  const parts = page.all(BUILDING_PARTS.map((part) => `[id$="_${part}"]`).join())
  const buildings = new Set(parts.map((part) => (part.attribute('id') as string).replace(/[^_]+$/, '')))
  const found = [...buildings].map((building) => {
    const area = page.find(`tr:has(> td > [id="${building}lblBldArea"])`)?.findBeside('Living Area')
    return present<Improvement>({
      year_built: readYear(page.find(`[id="${building}lblYearBuilt"]`)?.text),
      living_area_sq_ft: readSquareFeet(area?.text) ?? readLivingArea(page, `${building}grdSub`),
      ...readRooms(page, `${building}grdCns`),
    })
  })
  const improvements = found.filter((building) => Object.keys(building).length > 0)
  return improvements.length > 0 || count === '0' ? improvements : undefined
}

/** A half bath counts as half a bathroom. */
const readRooms = (page: Region, id: string): Pick<Improvement, 'bedrooms' | 'bathrooms'> => {
  const rows = page.find(`[id="${id}"]`)?.findTable(['Field', 'Description'])?.rows ?? []
  const numberOf = (field: string) => {
    const [row, ...others] = rows.filter((one) => wordsOf(one.text('Field') ?? '') === wordsOf(field))
    return others.length === 0 ? readCount(row?.text('Description')) : undefined
  }
  const full = numberOf('Full Baths')
  const half = numberOf('Half Baths')
  return present<Pick<Improvement, 'bedrooms' | 'bathrooms'>>({
    bedrooms: numberOf('Bedrooms'),
    bathrooms: full === undefined || half === undefined ? undefined : full + half / 2,
  })
}

/** The sum of a building's parts, if the total row (the one without a code) shows the same. */
const readLivingArea = (page: Region, id: string): number | undefined => {
  const rows = page.find(`[id="${id}"]`)?.findTable(['Code', 'Description', 'Gross Area', 'Living Area'])?.rows ?? []
  const areas = rows.map((row) => ({ code: row.text('Code'), area: readSquareFeet(row.text('Living Area')) }))
  const total = areas.find(({ code }) => code === '')?.area
  const sum = areas.reduce((before, { code, area }) => (code === '' ? before : before + (area ?? 0)), 0)
  return sum === total ? total : undefined
}
