import type { FetchContext, Fetched, HttpClient, RawDocument, ScrapeTarget } from '../../adapter'
import { portalUrl } from '../../http/portal-url'
import { expectPage } from '../../reading/page/expect-page'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import { ScrapeError } from '../../scrape-error'
import { fillForm, readForm, submission } from '../../sessions/web-form'
import type { Config } from './config'

/** Fetches one page per mode: `datalet-profileall`. */
export const fetchDatalets = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const pin = target.overrides.vendorKey ?? toPin(target.sourceParcelId, config)
  const { search, jur, tax_year: taxyr } = config
  // A session shows the parcel that it found last, so two jobs in one session would see each other's parcel. base_url may be the
  // URL of the search, which is in its own folder.
  const root = target.baseUrl.replace(/\/search\/[^/]*$/i, '')
  const client = search === undefined ? http : http.withOwnCookies()
  const found = search === undefined ? null : await findParcel(client, root, search, pin)
  const documents: RawDocument[] = found === null ? [] : [found.results]
  for (const mode of config.modes) {
    const query =
      found === null ? { mode, UseSearch: 'no', pin, jur, taxyr } : { mode, sIndex: 0, idx: found.index, taxyr }
    const url = portalUrl(root, config.datalet_path, query)
    documents.push(expectPage(await client.request({ name: `datalet-${mode}`, url })))
  }
  return { documents }
}

const toPin = (parcelId: string, { pin }: Config): string => {
  if (pin === 'as-is') return parcelId
  // In some counties, the blanks between the parts of a number belong to it.
  return pin === 'digits' ? parcelId.replace(/\D/g, '') : parcelId.replaceAll('-', '')
}

/** Searches in the session, past the disclaimer if there is one. `index` is the parcel's position in the results. */
const findParcel = async (
  http: HttpClient,
  baseUrl: string,
  { path, mode, field }: NonNullable<Config['search']>,
  pin: string,
): Promise<{ results: RawDocument; index: number }> => {
  const ask = async () => {
    const document = expectPage(await http.request({ name: 'search', url: portalUrl(baseUrl, path, { mode }) }))
    return { document, page: readPage([document], 'search') }
  }
  let { document, page } = await ask()
  const agree = page.find('#btAgree')
  if (agree !== undefined) {
    const form = readForm(page)
    const pressed = { [agree.attribute('name') ?? 'btAgree']: agree.attribute('value') ?? '' }
    const agreed = submission({ ...form, fields: { ...form.fields, ...pressed } }, document.url)
    expectPage(await http.request({ name: 'disclaimer', ...agreed }))
    ;({ document, page } = await ask())
  }
  const form = fillForm(readForm(page), { [field]: pin, hdAction: 'Search' })
  const results = expectPage(await http.request({ name: 'results', ...submission(form, document.url) }))
  return { results, index: readIndex(results, pin) }
}

/** Each result has a hidden token, `{jur}:{pin}:{taxyr}`. A search with one result may show the parcel directly. */
const readIndex = (results: RawDocument, pin: string): number => {
  const page = readPage([results], 'results')
  if (page.find('td.DataletHeaderBottom') !== undefined) return 1
  const rows = page.all('#searchResults tr.SearchResults')
  if (rows.length === 0 && saysNothingFound(page))
    throw new ScrapeError('not_found', `the search finds no parcel "${pin}"`)
  if (rows.length === 0) page.get('#searchResults tr.SearchResults', 'SearchResults')
  const tokens = rows.map((row) =>
    row.all('input[type=hidden]').map((input) => input.attribute('value')?.split(':')[1] ?? ''),
  )
  const at = tokens.findIndex((pins) => pins.some((found) => isSameParcel(found, pin)))
  if (at === -1) throw new ScrapeError('not_found', `no result of the search is the parcel "${pin}"`)
  return at + 1
}
