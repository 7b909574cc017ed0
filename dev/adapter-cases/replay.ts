import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { HttpClient, HttpRequest, RawDocument } from '../../adapters/adapter'
import { ScrapeError } from '../../adapters/scrape-error'
import type { Case, Exchange } from './case'

/** The time of every response in a case. */
export const REPLAYED_AT = '2026-01-02T03:04:05.678Z'

/** The responses of a case as documents; for pages in a browser, what the browser shows. */
export const documentsOf = ({ exchanges, folder }: Case): RawDocument[] =>
  exchanges.filter(({ browser }) => browser !== 'loads').map((exchange) => toDocument(exchange, folder))

/** The adapter sent a request that is not among the `exchanges` of its case. This says nothing about the adapter's result. */
export class NoResponse extends ScrapeError {}

/** A portal that knows only the requests of one case. */
export const replay = ({ exchanges, folder }: Case): HttpClient => {
  const given = new Set<Exchange>()
  const client: HttpClient = {
    request: async (request) => {
      const answers = exchanges.filter((candidate) => isAnswerTo(candidate, request))
      const exchange = answers.find((candidate) => !given.has(candidate)) ?? answers.at(-1)
      if (exchange === undefined) {
        throw new NoResponse(
          'network',
          `the case has no response for ${methodOf(request)} ${request.url} ${bodyOf(request)}`,
        )
      }
      given.add(exchange)
      return { ...toDocument(exchange, folder), name: request.name }
    },
    withOwnCookies: () => client,
  }
  return client
}

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export const toDocument = (exchange: Exchange, folder: string): RawDocument => {
  const { name, url, redirectedTo, status = 200, headers = {}, file } = exchange
  return {
    name,
    url: redirectedTo ?? url,
    status,
    headers: { 'content-type': TYPES[extname(file)] ?? 'text/html', ...headers },
    body: wholePage(file, readFileSync(join(folder, file), 'utf8')),
    fetchedAt: REPLAYED_AT,
  }
}

/** A page file may be an excerpt without `<html>`, which becomes the body of a whole page. */
const wholePage = (file: string, text: string): string =>
  !file.endsWith('.html') || text.trim() === '' || /<html\b/i.test(text)
    ? text
    : `<html><body>\n${text}\n</body></html>\n`

export const isAnswerTo = (exchange: Exchange, request: HttpRequest): boolean =>
  exchange.url === request.url &&
  (exchange.method ?? (exchange.form || exchange.json ? 'POST' : 'GET')) === methodOf(request) &&
  Object.entries(exchange.form ?? {}).every(([field, value]) => request.form?.[field] === value) &&
  (exchange.json === undefined || Bun.deepEquals(exchange.json, request.json))

const methodOf = ({ method, form, json }: HttpRequest): string => method ?? (form || json ? 'POST' : 'GET')

const bodyOf = ({ form, json }: HttpRequest): string => JSON.stringify(form ?? json ?? '').slice(0, 500)
