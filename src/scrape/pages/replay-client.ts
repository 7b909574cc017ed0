import type { Adapter, HttpClient, HttpRequest, RawDocument } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import type { KeptAnswer, PageSet } from './page-set'
import { askedOf } from './record-answers'

/** The responses of a page set as their original documents. */
const toDocuments = ({ answers }: PageSet, answeredAt: readonly string[]): RawDocument[] =>
  answers.map(({ asked: _, ...answer }, index) => ({
    ...answer,
    fetchedAt: answeredAt[index] ?? answeredAt.at(-1) ?? '',
  }))

/**
 * A client that answers an adapter's requests with stored responses, without network access. Each response is used once. A request gets
 * the next response with its name and URL. If its URL is new, because the adapter or the source has changed, it gets the
 * response with its name, if there is only one.
 */
export const createReplayClient = (set: PageSet, answeredAt: readonly string[]): HttpClient => {
  const documents = toDocuments(set, answeredAt)
  const left = new Set(set.answers.keys())
  const find = (request: HttpRequest): number | undefined => {
    const asked = askedOf(request)
    const places = [...left]
    const answerAt = (place: number) => set.answers[place] as KeptAnswer
    const isSame = (place: number) => Bun.deepEquals(answerAt(place).asked, asked)
    const named = places.filter((place) => answerAt(place).name === request.name)
    return named.find(isSame) ?? (named.length === 1 ? named[0] : places.find(isSame))
  }
  const client: HttpClient = {
    request: async (request) => {
      const place = find(request)
      const document = place === undefined ? undefined : documents[place]
      if (place === undefined || document === undefined) {
        throw new ScrapeError('network', `the adapter requests "${request.name}", which is not among the kept pages`)
      }
      left.delete(place)
      return { ...document, name: request.name }
    },
    withOwnCookies: () => client,
  }
  return client
}

/** The adapter, with stored responses instead of a browser. Adapters without a browser get theirs from a `createReplayClient`. */
export const withKeptPages = (adapter: Adapter, set: PageSet, answeredAt: readonly string[]): Adapter =>
  adapter.needsBrowser ? { ...adapter, fetch: async () => ({ documents: toDocuments(set, answeredAt) }) } : adapter
