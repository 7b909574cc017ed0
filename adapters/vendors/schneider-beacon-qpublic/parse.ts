import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import { present, readAcres, readDate, readText } from '../../reading/values'
import type { Scrape } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import { readBuildings } from './buildings'
import type { Config } from './config'
import { readOwners } from './owners'
import { findPair, type Pair, readPairs } from './pairs'
import { readSales } from './sales'
import { readStatements } from './taxes'
import { readValuations } from './valuations'

interface Anchor {
  /** Known labels. Counties choose their own, and vendor_config can add them. */
  label: RegExp
  /** Elements that hold the value in some counties, whatever its label: a database column (`editkey`), or the end of an id. */
  element?: string
}

const SUMMARY = {
  parcel: {
    label: /^parcel (?:id|number|no\.?)$/,
    element: '[id$="_lblParcelID"], [id$="rptrDynamicColumns_ctl00_pnlSingleValue"]',
  },
  address: {
    label: /^(?:(?:property|location|site|physical|situs) address|location|situs)$/,
    element: '[editkey$="_summary_PropertyAddress"], [id$="_lblPropertyAddress"], [id$="_lblLocationAddress"]',
  },
  acres: { label: /^(?:acres|acreage|(?:total|deeded|gis) acres)$/, element: '[editkey$="_summary_Acres"]' },
  class: {
    label: /^(?:property use(?: code)?|property usage|property class|class|use code)$/,
    element: `[editkey$="_Class+'-'+LandUse"]`,
  },
  zoning: { label: /^zoning$/ },
} satisfies Record<string, Anchor>

const TITLES = {
  owner: /^(?:current )?owners?(?: information)?$/,
  values: /^(?:valuation|values?)$/,
  sales: /^(?:recent )?(?:sales?|transfers?)(?: (?:information|history))?$/,
}

/** The last part of a report. A browser closes the open elements of a page that was cut off, so `</html>` proves nothing. */
const END = '#hlkLastUpdated, footer'

const NOTHING_FOUND = 'No results match your search criteria'

/** One parcel's report. Sections are identified by title: the numbers in their ids differ by county. */
export const parseReport = (
  documents: readonly RawDocument[],
  target: ScrapeTarget,
  { labels, values }: Config,
): ReadParcel => {
  const page = readPage(documents, 'report')
  const document = documentNamed(documents, 'report')
  if (/\/ValidateUser\.aspx/i.test(document.url)) {
    throw new ScrapeError('blocked', 'the portal shows a captcha in place of the report')
  }
  const sections = page.all('section[id$="_mSection"]')
  if (page.find('[id$="_pnlNoResults"]') !== undefined || (sections.length === 0 && page.says(NOTHING_FOUND))) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  if (page.find(END) === undefined) {
    throw new ScrapeError('page_changed', 'the report page ends before "Last Data Upload"')
  }
  const titled = (title: RegExp): Region | undefined =>
    sections.find((section) => title.test(wordsOf(section.find('.module-header .title')?.text ?? '')))
  const { summary, pairs, number } = getSummary(sections)
  const shown = (name: keyof typeof SUMMARY, own?: string): Region | undefined => {
    if (own !== undefined) return findPair(pairs, own)
    const { label, element }: Anchor = SUMMARY[name]
    return (element === undefined ? undefined : summary.find(element)) ?? findPair(pairs, label)
  }
  const parcelNumber = number.text

  const owner = titled(TITLES.owner)
  if (owner === undefined) throw new ScrapeError('page_changed', 'no section "Owner" on the report page')
  const { owners, mailingAddress } = readOwners(owner)
  const names = owners.map(({ name }) => name)
  const history = readValuations(page, values, titled(TITLES.values) !== undefined)
  const latest = history?.[0]
  const uploaded =
    page.find('#hlkLastUpdated')?.text.replace(/^Last Data Upload:/i, '') ?? page.findLine('Last Data Upload:')
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      situsAddress: readText(shown('address', labels.address)?.lines[0]),
      acreage: readAcres(shown('acres', labels.acres)?.text),
      landUseClass: readText(shown('class', labels.class)?.lines[0]),
      zoningCode: readText(shown('zoning', labels.zoning)?.lines[0]),
      ownerName: names[0],
      ownerNamesAll: names.length === 0 ? undefined : names,
      ownerMailingAddress: mailingAddress,
      valueLand: latest?.land,
      valueImprovement: latest?.improvement,
      assessedValue: latest?.assessed,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, {
        footer: readDate(uploaded?.replace(',', ' ')),
        years: history?.map(({ year }) => year) ?? [],
      }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: names[0],
        owners: owners.length === 0 ? undefined : owners,
        statements: readStatements(page),
        valuation_history: history,
        sale_history: readSales(titled(TITLES.sales)),
        improvements: readBuildings(page),
      }),
    },
  }
}

/** The first section that has a parcel number. */
const getSummary = (sections: readonly Region[]): { summary: Region; pairs: Pair[]; number: Region } => {
  for (const summary of sections) {
    const pairs = readPairs(summary)
    const number = findPair(pairs, SUMMARY.parcel.label) ?? summary.find(SUMMARY.parcel.element)
    if (number !== undefined) return { summary, pairs, number }
  }
  throw new ScrapeError('page_changed', 'no "Parcel ID" or "Parcel Number" on the report page')
}
