import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readAddress,
  readDate,
  readMoney,
  readName,
  readNumber,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** Known labels. Counties choose their own, and vendor_config can add them. */
const LABELS = {
  parcel: /^parcel (?:id|number|no\.?)$/,
  address: /^(?:(?:property|location|site|physical|situs) address|location|situs)$/,
  acres: /^(?:acres|acreage|(?:total|deeded|gis) acres)$/,
  class: /^(?:property use code|property class|class|use code)$/,
  zoning: /^zoning$/,
}
const VALUES = {
  land: null,
  improvement: null,
  total: /^total value \(appraised 100%\)$/,
  assessed: /^assessed value$/,
  taxable: /^taxable value$/,
}
const SALES = {
  date: /^(?:sale )?date$/,
  price: /^(?:sales? )?(?:price|amount)$/,
  deed: /^(?:instrument|deed type|instrument type)$/,
  number: /^instrument (?:number|no\.?|#)$/,
  grantor: /^(?:grantor|seller)$/,
  grantee: /^(?:grantee|buyer)$/,
}
const OWNER_NAMES =
  '[id$="_lblSearch"], [id$="_lnkSearch"], [id$="OwnerName2_lblSuppressed"], [id*="_lblPrimaryOwnerName"], [id$="_gvwAllOwners"] tbody th'
const OWNER_ADDRESS =
  '[id$="_lblOwnerAddress"], [id$="_lblAddress"], [id$="_lblAddress1"], [id$="_lblAddress2"], [id$="_lblCityStZip"], [id$="_lblCityStateZip"]'

/** One parcel's report. Sections are identified by title: the numbers in their ids differ by county. */
export const parseReport = (
  documents: readonly RawDocument[],
  target: ScrapeTarget,
  { labels, values }: Config,
): ReadParcel => {
  const page = readPage(documents, 'report')
  const document = documentNamed(documents, 'report')
  if (page.find('[id$="_pnlNoResults"]') !== undefined) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  const summary = readSummary(page)
  const shown = (label: keyof typeof LABELS, own?: string) => findPair(summary, own ?? LABELS[label])
  const parcelNumber = shown('parcel')?.text ?? ''

  const owner = getSection(page, 'Owner', /^(?:current )?owners?(?: information)?$/)
  const owners = [
    ...new Set(getAll(owner, OWNER_NAMES, 'name of the owner').flatMap(({ text }) => readName(text) ?? [])),
  ]
  const history = readHistory(page, values)
  const latest = history?.[0]
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      situsAddress: readText(shown('address', labels.address)?.lines[0]),
      acreage: readAcres(shown('acres', labels.acres)?.text),
      landUseClass: readText(shown('class', labels.class)?.lines[0]),
      zoningCode: readText(shown('zoning', labels.zoning)?.lines[0]),
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: readAddress(
        owner
          .all(OWNER_ADDRESS)
          .flatMap(({ lines }) => lines)
          .filter((line) => !owners.includes(line)),
      ),
      valueLand: latest?.land,
      valueImprovement: latest?.improvement,
      assessedValue: latest?.assessed,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, {
        footer: readDate(page.findLine('Last Data Upload:')?.replace(',', ' ')),
        years: history?.map(({ year }) => year) ?? [],
      }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        valuation_history: history,
        sale_history: readSales(page),
        improvements: readBuildings(page),
      }),
    },
  }
}

interface Pair {
  label: string
  value: Region
}

/** Labels may have a note on a second line. */
const readPairs = (region: Region): Pair[] =>
  region.all('table.tabular-data-two-column tr').flatMap((row) => {
    const [label, value, ...others] = row.all('th, td')
    if (label === undefined || value === undefined || others.length > 0) return []
    return [{ label: wordsOf(label.lines[0] ?? ''), value }]
  })

/** @throws ScrapeError `page_changed` when the county's own label is missing */
const findPair = (pairs: readonly Pair[], label: RegExp | string): Region | undefined => {
  const fits = (words: string) => (typeof label === 'string' ? words === wordsOf(label) : label.test(words))
  const found = pairs.find((pair) => fits(pair.label))?.value
  if (found === undefined && typeof label === 'string') {
    throw new ScrapeError('page_changed', `no "${label}" in the summary`)
  }
  return found
}

/** The pairs of the first section that has a parcel number. */
const readSummary = (page: Region): Pair[] => {
  const pairs = page
    .all('section[id$="_mSection"]')
    .map(readPairs)
    .find((candidates) => findPair(candidates, LABELS.parcel) !== undefined)
  if (pairs === undefined) throw new ScrapeError('page_changed', 'no "Parcel ID" or "Parcel Number" on the report page')
  return pairs
}

const findSection = (page: Region, name: string, title: RegExp): Region | undefined =>
  page
    .all('section[id$="_mSection"]', name)
    .find((section) => title.test(wordsOf(section.find('.module-header .title')?.text ?? '')))

const getSection = (page: Region, name: string, title: RegExp): Region => {
  const section = findSection(page, name, title)
  if (section === undefined) throw new ScrapeError('page_changed', `no section "${name}" on the report page`)
  return section
}

const getAll = (region: Region, selector: string, name: string): Region[] => {
  region.get(selector, name)
  return region.all(selector)
}

/** One column per year, under an empty first heading. If a year has two columns, the first counts. */
const readHistory = (page: Region, own: Config['values']): Valuation[] | undefined => {
  const table = page.find('[id$="_grdValuation"], [id$="_gvValuation"], [id$="_grdValuation_grdYearData"]', 'Valuation')
  if (table === undefined) {
    if (findSection(page, 'Valuation', /^(?:valuation|values?)$/) === undefined) return undefined
    throw new ScrapeError('page_changed', 'no table of years under "Valuation"')
  }
  const [, ...years] = table.all('thead th').map(({ text }) => readYear(/\b\d{4}\b/.exec(text)?.[0]))
  const rows = table.all('tbody tr').map((row) => {
    const [label, ...amounts] = row.all('th, td').map(({ text }) => text)
    if (amounts.length !== years.length) {
      throw new ScrapeError('page_changed', `"${label}" has ${amounts.length} amounts under ${years.length} years`)
    }
    return { label: wordsOf(label ?? ''), amounts }
  })
  const find = (name: keyof typeof VALUES): string[] | undefined => {
    const label = own[name]
    const found = rows.find((row) =>
      label === undefined ? VALUES[name]?.test(row.label) : row.label === wordsOf(label),
    )
    if (found !== undefined || label === undefined) return found?.amounts
    throw new ScrapeError('page_changed', `no "${label}" under "Valuation"`)
  }
  const read = { land: find('land'), improvement: find('improvement'), total: find('total') }
  const [assessed, taxable] = [find('assessed'), find('taxable')]
  const history = new Map<number, Valuation>()
  for (const [column, year] of years.entries()) {
    if (year === undefined || history.has(year)) continue
    const amount = (row: string[] | undefined) => readMoney(row?.[column])
    const found = present<Omit<Valuation, 'year'>>({
      land: amount(read.land),
      improvement: amount(read.improvement),
      total: amount(read.total),
      assessed: amount(assessed),
      taxable: amount(taxable),
    })
    if (Object.keys(found).length > 0) history.set(year, { year, ...found })
  }
  return [...history.values()].sort((one, other) => other.year - one.year)
}

/** Other sections have grids with the same id, so the title identifies the section. A section without a grid says nothing. */
const readSales = (page: Region): Sale[] | undefined => {
  const section = findSection(page, 'Sales', /^(?:recent )?(?:sales?|transfers?)(?: (?:information|history))?$/)
  const table = section?.find('[id$="_grdSales"], [id$="_grdSales_grdFlat"]', 'Sales')
  if (table === undefined) return undefined
  const headings = table.all('thead th').map(({ text }) => wordsOf(text))
  if (!headings.some((heading) => SALES.date.test(heading))) {
    throw new ScrapeError('page_changed', 'no heading "Date" under "Sales"')
  }
  return table.all('tbody tr').map((row) => {
    const cells = row.all('th, td').map(({ text }) => text)
    if (cells.length !== headings.length) {
      throw new ScrapeError(
        'page_changed',
        `a row of ${cells.length} cells under ${headings.length} headings of "Sales"`,
      )
    }
    const text = (name: keyof typeof SALES) => cells[headings.findIndex((heading) => SALES[name].test(heading))]
    return present<Sale>({
      sold_on: readDate(text('date')),
      price: readMoney(text('price')),
      deed_type: readText(text('deed')),
      grantor: readName(text('grantor')),
      grantee: readName(text('grantee')),
      document_number: readText(text('number')),
    })
  })
}

/** A list of buildings, each with one or two tables of facts. */
const readBuildings = (page: Region): Improvement[] | undefined => {
  const parts = new Map<string, Pair[]>()
  for (const part of page.all('[id*="_lstBuildings_ctl"][id$="_divSummary"]')) {
    const building = /_lstBuildings_(ctl\d+)_/.exec(part.attribute('id') ?? '')?.[1] ?? ''
    parts.set(building, [...(parts.get(building) ?? []), ...readPairs(part)])
  }
  if (parts.size === 0) return undefined
  return [...parts.values()].map((pairs) =>
    present<Improvement>({
      type: readText(findPair(pairs, /^(?:style|building type)$/)?.text),
      year_built: readYear(findPair(pairs, /^(?:actual )?year built$/)?.text),
      living_area_sq_ft: readSquareFeet(findPair(pairs, /^(?:heated square feet|heated area)$/)?.text),
      bedrooms: readNumber(findPair(pairs, /^number of bedrooms$/)?.text),
    }),
  )
}
