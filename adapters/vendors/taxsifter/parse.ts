import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { getParcelNumberIn } from '../../reading/get-parcel-number-in'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readAddress,
  readDate,
  readDateBefore,
  readMoney,
  readName,
  readPercent,
  readRecordingNumber,
  readText,
  readYear,
  readYearIn,
} from '../../reading/values'
import type { Sale, Scrape, Statement, Valuation } from '../../scrape'
import type { Config } from './config'

/** The assessor's page, and the treasurer's if it was requested. The numbers in its ids (`ctl02`) differ between counties; the ends of the ids do not. */
export const parseAssessor = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'assessor')
  const document = documentNamed(documents, 'assessor')
  const info = (name: string) => page.get(`[id$="ParcelOwnerInfo1_${name}"]`, name).text
  const parcelNumber = info('lbParcelNumber')

  const owner = readName(info('lbOwnerName'))
  const market = page.get('[id$="dvMarketValues"]', 'dvMarketValues')
  const owners = readOwners(page)
  const treasurer = documents.some(({ name }) => name === 'treasurer') ? readPage(documents, 'treasurer') : undefined
  const isLandUse = wordsOf(info('lbMID1Label')) === wordsOf(config.land_use_label)
  return {
    shownIds: [
      parcelNumber,
      // `vendorKey` is the `keyId`, which pages do not show.
      ...(treasurer === undefined ? [] : [getParcelNumberIn(treasurer, { ...target, overrides: {} })]),
    ],
    fields: present<ParcelFields>({
      situsAddress: readText(info('lbSitus')),
      ownerName: owner,
      ownerNamesAll: owners?.map(({ name }) => name) ?? (owner === undefined ? undefined : [owner]),
      ownerMailingAddress: readMailingAddress(info),
      landUseClass: isLandUse ? readText(info('lbMID1Value')) : undefined,
      acreage: readAcres(page.get('[id$="dvAssessmentData"]', 'dvAssessmentData').getBeside('Total Acres:').text),
      valueLand: readMoney(market.getBeside('Land:').text),
      valueImprovement: readMoney(market.getBeside('Improvements:').text),
      // RCW 84.40.030: property is assessed at 100 percent of its true and fair value.
      assessedValue: readMoney(market.getBeside('Total:').text),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, {
        marker: readDate(page.find('[id$="lblDataDate"]')?.findLine('Data current as of:')),
        years: [readYear(/\d{4}$/.exec(page.find('[id$="lblRollYear"]')?.text ?? '')?.[0])],
      }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners,
        valuation_history: readHistory(page),
        sale_history: readSales(page, document.fetchedAt),
        statements: treasurer && readStatements(treasurer),
      }),
    },
  }
}

/** The street may be in either of two lines. */
const readMailingAddress = (info: (name: string) => string): string | undefined => {
  const place = [info('lbCity'), `${info('lbState')} ${info('lbZip')}`.trim()].filter((part) => part !== '')
  return readAddress([info('lbAddress'), info('lbAddress2'), ...place].filter((line) => line !== ''))
}

/** Undefined when the page shows none: every parcel has an owner. */
const readOwners = (page: Region): Scrape['owners'] => {
  const owners = page
    .find('[id$="grdParcelOwnership"]')
    ?.getTable(["Owner's Name", 'Ownership %'])
    .rows.flatMap((row) => {
      const name = readName(row.text("Owner's Name"))
      if (name === undefined) return []
      return [
        {
          name,
          ...present<{ ownership_pct: number; type: string }>({
            ownership_pct: readPercent(row.text('Ownership %')),
            type: readText(row.text('Owner Type')),
          }),
        },
      ]
    })
  return owners?.length === 0 ? undefined : owners
}

const readHistory = (page: Region): Valuation[] | undefined =>
  page
    .find('[id$="grdValuations"]')
    ?.getTable(['Year', 'Land', 'Impr.', 'Total', 'Taxable'])
    .rows.flatMap((row) => {
      const year = readYear(row.text('Year'))
      if (year === undefined) return []
      return [
        {
          year,
          ...present<Omit<Valuation, 'year'>>({
            land: readMoney(row.text('Land')),
            improvement: readMoney(row.text('Impr.')),
            total: readMoney(row.text('Total')),
            taxable: readMoney(row.text('Taxable')),
          }),
        },
      ]
    })

const readSales = (page: Region, fetchedAt: string): Sale[] | undefined =>
  page.findTable(['Sale Date', 'Sales Document', 'Grantor', 'Grantee', 'Price'])?.rows.map((row) =>
    present<Sale>({
      sold_on: readDateBefore(row.text('Sale Date'), fetchedAt),
      price: readMoney(row.text('Price')),
      grantor: readName(row.text('Grantor')),
      grantee: readName(row.text('Grantee')),
      document_number: readRecordingNumber(row.text('Sales Document')),
    }),
  )

/**
 * Words in the headings of the treasurer's balances. Only the positions of the headings are known, so each word must be in exactly one
 * heading.
 */
const BALANCE_HEADINGS = { year: /\byear\b/i, billed: /\btax(?:es)?\b(?! year)/i, due: /\bdue\b/i }

/** The balances of the current tax year, on the treasurer's page. Undefined when the headings differ. */
const readStatements = (treasurer: Region): Statement[] | undefined => {
  const grid = treasurer.find('table[id$="CurrentTaxYearInterest1_GridView1"]')
  const headings = grid?.all('> tbody > tr:first-child > *').map(({ text }) => text) ?? []
  const [year, billed, due] = Object.values(BALANCE_HEADINGS).map((words) => {
    const found = headings.filter((heading) => words.test(heading))
    return found.length === 1 ? found[0] : undefined
  })
  if (grid === undefined || year === undefined || billed === undefined || due === undefined) return undefined
  const { rows } = grid.getTable([year, billed, due])
  const statements = rows.flatMap((row) => {
    // The half of the year follows: `2026/2`.
    const tax_year = readYearIn(row.text(year))
    if (tax_year === undefined) return []
    const amounts = { billed: readMoney(row.text(billed)), due: readMoney(row.text(due)) }
    return [{ tax_year, ...present<Omit<Statement, 'tax_year'>>(amounts) }]
  })
  return statements.length === 0 ? undefined : statements
}
