import { Elysia } from 'elysia'
import { splitWords } from '../../../../search/query/text'
import type { SearchAnswer } from '../../../../search/search'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { keyedErrors, TELLS_VERSION } from '../../schemas'
import { searchPage } from './schemas'
import { parseSearch, searchQuery } from './search-query'

export const searchRoutes = ({
  search,
  datasetVersion,
  authenticator,
}: Pick<Deps, 'search' | 'datasetVersion' | 'authenticator'>) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/search',
      async ({ query, request, set }) => {
        const params = parseSearch(query)
        const answer = await search.search(params, callerOf(request))
        if (answer.degraded) set.headers.warning = '199 - "search degraded"'
        return Response.json(toPage(answer, params.q))
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: searchQuery,
        response: { 200: searchPage, ...keyedErrors },
        detail: {
          'x-headers': { 200: ['Warning', ...TELLS_VERSION['x-headers'][200]] },
          tags: ['search'],
          summary: 'Search parcels and business entities',
          description:
            'Typeahead search that tolerates typos. While Meilisearch is unavailable, searches run on PostgreSQL and the response has a `Warning` header; searches are then slower and may return fewer hits.',
          operationId: 'search',
        },
      },
    )

const toPage = ({ hits, total, isTotalExact, next, corrected }: SearchAnswer, q: string) => {
  const isCorrected = corrected !== null && spell(corrected) !== spell(q)
  return {
    count: hits.length,
    results: hits,
    total,
    total_is_exact: isTotalExact,
    next,
    ...(isCorrected ? { corrected } : {}),
  }
}

/** The letters and digits of a query. A correction that changes only other characters is not reported. */
const spell = (text: string): string => splitWords(text).join('')
