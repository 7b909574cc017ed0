import { Type } from '@sinclair/typebox'
import type { FetchContext, Fetched, HttpClient, HttpRequest, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import { readJson } from '../../reading/read-json'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { unwrapped } from './record'

/** Fetches the record card. If its id is not known, it searches for it first. */
export const fetchRecord = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const { baseUrl, overrides, sourceParcelId } = target
  const ask = asPage(http, baseUrl)
  const found: RawDocument[] = []
  let id = overrides.vendorKey ?? (config.record_id === 'parcel' ? sourceParcelId : undefined)
  if (id === undefined) {
    const search = expectPage(
      await ask({ name: 'search', url: portalUrl(baseUrl, 'api/v2/search'), json: searchFor(baseUrl, sourceParcelId) }),
    )
    found.push(search)
    id = readRecordId(search, sourceParcelId)
  }
  const url = portalUrl(baseUrl, `api/v1/recordcard/${encodeURIComponent(id)}`)
  const record = await ask({ name: 'record', url, headers: conditionalHeaders(target) })
  if (isNotModified(record)) return { notModified: true }
  return { documents: [...found, expectPage(record)] }
}

const searchFor = (baseUrl: string, term: string) => ({
  filters: { term, page: '1' },
  page: '1',
  limit: 21,
  debug: { currentURL: appUrl(baseUrl), previousURL: '' },
})

const appUrl = (baseUrl: string): string => `${portalUrl(baseUrl, '')}#/`

/** Sends a request as the app does. Status 419 means that the page token is missing or expired: the page has a new one. */
const asPage =
  (http: HttpClient, baseUrl: string) =>
  async (request: HttpRequest): Promise<RawDocument> => {
    const headers = {
      'x-requested-with': 'XMLHttpRequest',
      origin: new URL(baseUrl).origin,
      referer: appUrl(baseUrl),
      ...request.headers,
    }
    const answer = await http.request({ ...request, headers })
    if (answer.status !== 419) return answer
    const page = await http.request({ name: 'page', url: portalUrl(baseUrl, '') })
    const token = readPage([page], 'page').get('meta[name="csrf-token"]', 'csrf-token').attribute('content') ?? ''
    return http.request({ ...request, headers: { ...headers, 'x-csrf-token': token } })
  }

const id = Type.Union([Type.String({ minLength: 1 }), Type.Integer()])
const searchSchema = Type.Object({
  id: Type.Optional(id),
  results: Type.Optional(
    Type.Array(Type.Object({ id, par: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])) })),
  ),
})

/** @throws ScrapeError `not_found`; `bad_config` when several records match and `vendorKey` is needed */
const readRecordId = (search: RawDocument, parcelId: string): string => {
  const { id: only, results } = readJson([unwrapped(search)], 'search', searchSchema)
  if (only !== undefined) return String(only)
  if (results === undefined) throw new ScrapeError('page_changed', 'neither id nor results in the search response')
  const same = results.filter(({ par }) => par !== undefined && par !== null && isSameParcel(String(par), parcelId))
  // A single result without a number is accepted: its record shows the number.
  const candidates = same.length === 0 && results.length === 1 && results[0]?.par === undefined ? results : same
  const [first, ...others] = new Set(candidates.map((result) => String(result.id)))
  if (first === undefined) throw new ScrapeError('not_found', `the search finds no parcel "${parcelId}"`)
  if (others.length > 0) {
    throw new ScrapeError('bad_config', `${others.length + 1} records share "${parcelId}": set vendorKey to choose one`)
  }
  return first
}
