import type { Adapter, FetchContext, HttpClient, HttpRequest, RawDocument } from '../../../adapters/adapter'
import { redactUrl } from '../../../adapters/http/redact-url'
import type { KeptAnswer } from './page-set'

/** Headers that adapters read. All others are not stored, because they can contain cookies and tokens. */
const KEPT_HEADERS =
  /^(?:content-type|content-language|etag|last-modified|date|retry-after|cf-mitigated|x-soda2-(?:data-out-of-date|(?:secondary|truth)-last-modified))$/

/** The responses that a scrape has received so far. */
export interface Recording {
  context: FetchContext
  adapter: Adapter
  /** The responses in the order of their requests, and the time of each. */
  list: () => { answers: KeptAnswer[]; answeredAt: string[] }
}

/** Records the responses of one scrape. For pages in a browser, records what the adapter read from the browser. */
export const recordAnswers = (adapter: Adapter, context: FetchContext): Recording => {
  let recorded: ({ asked: KeptAnswer['asked']; document: RawDocument } | null)[] = []
  const record = (http: HttpClient): HttpClient => ({
    request: async (request) => {
      const place = recorded.push(null) - 1
      const document = await http.request(request)
      recorded[place] = { asked: askedOf(request), document }
      return document
    },
    withOwnCookies: () => record(http.withOwnCookies()),
  })
  const fetchInBrowser: Adapter['fetch'] = async (...request) => {
    const fetched = await adapter.fetch(...request)
    if ('documents' in fetched) {
      recorded = fetched.documents.map((document) => ({
        asked: { method: 'GET', url: redactUrl(document.url) },
        document,
      }))
    }
    return fetched
  }
  return {
    context: { ...context, http: record(context.http) },
    adapter: adapter.needsBrowser ? { ...adapter, fetch: fetchInBrowser } : adapter,
    list: () => {
      const exchanges = recorded.filter((exchange) => exchange !== null)
      return {
        answers: exchanges.map(({ asked, document: { name, url, status, headers, body } }) => ({
          name,
          asked,
          url: redactUrl(url),
          status,
          body,
          headers: Object.fromEntries(Object.entries(headers).filter(([header]) => KEPT_HEADERS.test(header))),
        })),
        answeredAt: exchanges.map(({ document }) => document.fetchedAt),
      }
    },
  }
}

export const askedOf = ({ method, url, form, json }: HttpRequest): KeptAnswer['asked'] => ({
  method: method ?? (form === undefined && json === undefined ? 'GET' : 'POST'),
  url: redactUrl(url),
})
