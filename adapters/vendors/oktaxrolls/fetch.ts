import { Type } from '@sinclair/typebox'
import type { FetchContext, Fetched, HttpRequest, RawDocument, ScrapeTarget } from '../../adapter'
import { resolveLink } from '../../reading/link'
import { expectPage } from '../../reading/page/expect-page'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readJson } from '../../reading/read-json'
import { readYear } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** Fetches the list of the account's statements, then the newest of them: `statement-2025`. */
export const fetchStatements = async (
  target: ScrapeTarget,
  config: Config,
  { http }: FetchContext,
): Promise<Fetched> => {
  const list = expectPage(await http.request(searchFor(target, config)))
  const documents = [list]
  for (const { year, url } of listStatements(documents, target).slice(0, config.years)) {
    documents.push(expectPage(await http.request({ name: `statement-${year}`, url })))
  }
  return { documents }
}

const decodeCounty = (written: string): string => {
  try {
    return decodeURIComponent(written)
  } catch (cause) {
    throw new ScrapeError('bad_config', `base_url has "${written}" for a county, with malformed percent-encoding`, {
      cause,
    })
  }
}

/** DataTables' fields for the first rows. The portal sends 100 at most. */
const FIRST_ROWS = { draw: '1', start: '0', length: '100' }

const searchFor = (target: ScrapeTarget, config: Config): HttpRequest => {
  const { origin, pathname } = new URL(target.baseUrl)
  const inBaseUrl = /\/searchTaxRoll\/([^/]+)/i.exec(pathname)?.[1]
  const county = config.county ?? (inBaseUrl === undefined ? target.countyName : decodeCounty(inBaseUrl))
  const url = new URL(`/searchResult/${encodeURIComponent(county)}/property_id`, origin)
  const field = { [config.search_parameter]: target.overrides.vendorKey ?? target.sourceParcelId }
  const request = { name: 'list', headers: { 'x-requested-with': 'XMLHttpRequest' } }
  if (config.search_method === 'POST') return { ...request, url: url.href, form: { ...FIRST_ROWS, ...field } }
  url.search = String(new URLSearchParams(field))
  return { ...request, url: url.href }
}

const listSchema = Type.Object({
  recordsFiltered: Type.Integer(),
  data: Type.Array(Type.Array(Type.Unknown())),
})

export interface ListedStatement {
  year: number
  account: string
  url: string
  /** Whether all rows of the year lead to this page. */
  isOnlyOfYear: boolean
  /** Whether the portal sent all rows, so that no year or statement is missing. */
  isListWhole: boolean
}

/**
 * The account's statements, newest first. A year may have several (`isOnlyOfYear`); the first is listed. DataTables' cells have no
 * names, and their order differs between searches: the first is the year, one has the link, and the account is the one that equals the
 * requested id.
 *
 * @throws ScrapeError `not_found`, `wrong_parcel`, `page_changed` when a row has other cells
 */
export const listStatements = (documents: readonly RawDocument[], target: ScrapeTarget): ListedStatement[] => {
  const { data, recordsFiltered } = readJson(documents, 'list', listSchema)
  if (data.length < recordsFiltered && data.length === 0) {
    throw new ScrapeError('page_changed', `no data in the list response, of ${recordsFiltered} rows`)
  }
  if (data.length === 0) throw new ScrapeError('not_found', `the list has no account "${target.sourceParcelId}"`)
  const pageUrl = documents.find(({ name }) => name === 'list')?.url
  const rows = data.map((cells) => ({
    year: readListedYear(cells),
    url: readLink(cells, pageUrl),
    texts: cells.map(textOf),
  }))
  const column = findAccountColumn(rows, target.sourceParcelId)
  const own = rows.flatMap(({ year, url, texts }) => {
    const account = texts[column] ?? ''
    return isSameParcel(account, target.sourceParcelId) ? [{ year, url, account }] : []
  })
  const newestFirst = own.toSorted((one, other) => other.year - one.year)
  return [...Map.groupBy(newestFirst, ({ year }) => year).values()].map((ofYear) => ({
    ...(ofYear[0] as (typeof ofYear)[number]),
    isOnlyOfYear: new Set(ofYear.map(({ url }) => url)).size === 1,
    isListWhole: data.length >= recordsFiltered,
  }))
}

const readListedYear = ([year]: readonly unknown[]): number => {
  const taxYear = readYear(textOf(year))
  if (taxYear === undefined) throw new ScrapeError('page_changed', 'no year in a row of the list response')
  return taxYear
}

const readLink = (cells: readonly unknown[], pageUrl: string | undefined): string => {
  const links = cells.flatMap((cell) => [...String(cell ?? '').matchAll(/\shref=(?:"([^"]+)"|'([^']+)')/gi)])
  const [href, ...others] = new Set(
    links.map(([, double, single]) => (double ?? single ?? '').replaceAll('&amp;', '&')),
  )
  if (href === undefined) throw new ScrapeError('page_changed', 'no href in a row of the list response')
  if (others.length > 0) throw new ScrapeError('page_changed', 'several href in a row of the list response')
  return resolveLink(href, pageUrl).href
}

/** The column of the tax record's number. It contains the account if no later column has such numbers. */
const TAX_ID = 1
const AMOUNT = /^\$?[\d,]*\.\d{2}$/
const isNumber = (text: string): boolean => /\d/.test(text) && !/\s/.test(text) && !AMOUNT.test(text)

/** All rows must use the same column, because one parcel's tax record may have the same number as another parcel. */
const findAccountColumn = (rows: readonly { texts: string[] }[], account: string): number => {
  const numbers = rows.flatMap(({ texts }) =>
    texts.flatMap((text, column) => (column > TAX_ID && isNumber(text) ? [{ text, column }] : [])),
  )
  const taxIds = rows.map(({ texts }) => ({ text: texts[TAX_ID] ?? '', column: TAX_ID }))
  const found = (numbers.length > 0 ? numbers : taxIds).find(({ text }) => isSameParcel(text, account))
  if (found !== undefined) return found.column
  const shown = rows[0]?.texts.slice(TAX_ID).join('", "')
  throw new ScrapeError('wrong_parcel', `the list has "${shown}", and none of these is the account "${account}"`)
}

/** Cells are text, or links around text. */
const textOf = (cell: unknown): string =>
  String(cell ?? '')
    .replace(/<[^>]*>/g, ' ')
    .trim()
