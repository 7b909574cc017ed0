import { api, ask, at } from '../../../api/api'

const crawlsOf = (source: string) => api.v1.admin.sources({ source: at(source) }).crawls

export const listCrawls = (source: string, limit: number, signal: AbortSignal) =>
  ask(crawlsOf(source).get({ query: { limit }, fetch: { signal } }))
export type Crawl = Awaited<ReturnType<typeof listCrawls>>['crawls'][number]

/** With its first rejected records. */
export const getCrawl = (source: string, id: string, signal: AbortSignal) =>
  ask(crawlsOf(source)({ id: at(id) }).get({ fetch: { signal } }))

export const startCrawl = (source: string) => ask(crawlsOf(source).post())
export const cancelCrawl = (source: string, id: string) => ask(crawlsOf(source)({ id: at(id) }).delete())
