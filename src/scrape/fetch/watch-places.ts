import type { FetchContext, HttpClient } from '../../../adapters/adapter'
import { followVisits, type Place } from '../../../adapters/browser/visits'

/** Tracks the URLs of responses. `last`: the last requested URL and the one that responded; null before the first response. */
export const watchPlaces = (context: FetchContext): { context: FetchContext; last: () => Place | null } => {
  let last: Place | null = null
  const watch = (http: HttpClient): HttpClient => ({
    request: async (request) => {
      const document = await http.request(request)
      last = { asked: request.url, url: document.url }
      return document
    },
    withOwnCookies: () => watch(http.withOwnCookies()),
  })
  const { openPage } = context
  const openWatchedPage = async (open: NonNullable<typeof openPage>) => {
    const page = await open()
    followVisits(page, (place) => {
      last = place
    })
    return page
  }
  return {
    context: {
      ...context,
      http: watch(context.http),
      openPage: openPage === null ? null : () => openWatchedPage(openPage),
    },
    last: () => last,
  }
}
