import { Type } from '@sinclair/typebox'
import type { FetchContext, Fetched, HttpRequest, RawDocument, ScrapeTarget } from '../../adapter'
import { expectPage } from '../../reading/expect-page'
import { isSameParcel } from '../../reading/expect-parcel'
import { resolveLink } from '../../reading/link'
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

const searchFor = (target: ScrapeTarget, config: Config): HttpRequest => {
  const { origin, pathname } = new URL(target.baseUrl)
  const inBaseUrl = /\/searchTaxRoll\/([^/]+)/i.exec(pathname)?.[1]
  const county = config.county ?? (inBaseUrl === undefined ? target.countyName : decodeCounty(inBaseUrl))
  const url = new URL(`/searchResult/${encodeURIComponent(county)}/property_id`, origin)
  const field = { [config.search_parameter]: target.overrides.vendorKey ?? target.sourceParcelId }
  const request = { name: 'list', headers: { 'x-requested-with': 'XMLHttpRequest' } }
  if (config.search_method === 'POST') return { ...request, url: url.href, form: field }
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
}

/**
 * The account's statements, newest first, one per year. DataTables' cells have no names: the first is the year, the second the account, the fourth the link.
 *
 * @throws ScrapeError `not_found`, `page_changed` when a row has other cells
 */
export const listStatements = (documents: readonly RawDocument[], target: ScrapeTarget): ListedStatement[] => {
  const { data, recordsFiltered } = readJson(documents, 'list', listSchema)
  if (data.length < recordsFiltered && data.length === 0) {
    throw new ScrapeError('page_changed', `no data in the list response, of ${recordsFiltered} rows`)
  }
  const pageUrl = documents.find(({ name }) => name === 'list')?.url
  const statements = data.map(([year, account, , link]) => {
    const taxYear = readYear(typeof year === 'number' ? String(year) : textOf(year))
    const href = /\shref="([^"]+)"|\shref='([^']+)'/i.exec(String(link ?? ''))
    const address = (href?.[1] ?? href?.[2])?.replaceAll('&amp;', '&')
    if (taxYear === undefined) throw new ScrapeError('page_changed', 'no year in a row of the list response')
    if (address === undefined) throw new ScrapeError('page_changed', 'no href in a row of the list response')
    return { year: taxYear, account: textOf(account), url: resolveLink(address, pageUrl).href }
  })
  const own = statements.filter(({ account }) => isSameParcel(account, target.sourceParcelId))
  if (own.length === 0 && statements.length > 0) {
    throw new ScrapeError(
      'wrong_parcel',
      `the list belongs to account "${statements[0]?.account}", not to "${target.sourceParcelId}"`,
    )
  }
  if (own.length === 0) throw new ScrapeError('not_found', `the list has no account "${target.sourceParcelId}"`)
  const newestFirst = own.toSorted((one, other) => other.year - one.year)
  return newestFirst.filter(({ year }, index) => newestFirst[index - 1]?.year !== year)
}

/** Cells are text, or links around text. */
const textOf = (cell: unknown): string =>
  String(cell ?? '')
    .replace(/<[^>]*>/g, ' ')
    .trim()
