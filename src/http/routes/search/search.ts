import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { decodeCursor, MAX_CURSOR_CHARACTERS } from '../../../../search/cursor'
import { hashSearch, type SearchParams, type SearchType } from '../../../../search/query/query'
import { splitWords } from '../../../../search/query/text'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { HttpError } from '../../convention/errors'
import { parseParcelFilter, searchFilterFields } from '../../convention/parameters/parcel-filter'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { count, countOf, keyedErrors, limit, query, TELLS_VERSION, textOrNull } from '../../schemas'
import { CURSOR_EXAMPLE, entityHit, flag, isSet, ownerGroup, parcelHit } from './schemas'

const TOO_SHORT = 'q must be ≥2 chars'
/** People type less than this. Every additional word makes the comparison with each candidate slower. */
const MAX_CHARACTERS = 200
const CURSOR = 'the `next` or `members_next` of a response to the same search with the same filters'
const TYPES: readonly SearchType[] = ['parcels', 'entities']

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
        const q = query.q.trim()
        const length = [...q].length
        if (length < 2) throw new HttpError(400, TOO_SHORT)
        if (length > MAX_CHARACTERS) throw new HttpError(400, `q must be at most ${MAX_CHARACTERS} characters`)
        if ((query.lat === undefined) !== (query.lon === undefined)) {
          throw new HttpError(
            400,
            `${query.lat === undefined ? 'lat' : 'lon'} is missing: lat and lon must be given together`,
          )
        }
        const params: SearchParams = {
          q,
          limit: query.limit ?? 20,
          types: parseTypes(query.types),
          filter: parseParcelFilter(query),
          lat: query.lat ?? null,
          lon: query.lon ?? null,
          proximityKm: query.proximity_km ?? 50,
          group: query.group ?? null,
          explain: isSet(query.explain),
          highlight: isSet(query.highlight),
          center: isSet(query.center),
          counts: isSet(query.total),
        }
        const after = query.after === undefined ? null : decodeCursor(query.after, hashSearch(params))
        if (query.after !== undefined && after === null) throw new HttpError(400, `after must be ${CURSOR}`)
        const { hits, total, isTotalExact, next, degraded, corrected } = await search.search(
          { ...params, after },
          callerOf(request),
        )
        if (degraded) set.headers.warning = '199 - "search degraded"'
        const isCorrected = corrected !== null && spell(corrected) !== spell(q)
        const page = { total, total_is_exact: isTotalExact, next }
        return Response.json({ count: hits.length, results: hits, ...page, ...(isCorrected ? { corrected } : {}) })
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: query({
          q: t.String({
            refusal: TOO_SHORT,
            description:
              'An owner, address, company or parcel id, or the start of one. Typos are tolerated. 2 to 200 characters. A state at the end limits the search to that state.',
            examples: ['jnuiper alder st'],
          }),
          limit: limit(100, 20),
          types: t.Optional(
            t.String({
              description: 'Comma-separated subset of parcels and entities.',
              byDefault: TYPES.join(','),
              examples: ['parcels'],
            }),
          ),
          ...searchFilterFields,
          lat: t.Optional(
            t.Numeric({
              minimum: -90,
              maximum: 90,
              description: 'Degrees; requires `lon`. Nearer parcels rank higher; none are filtered out.',
              examples: [45.515],
            }),
          ),
          lon: t.Optional(
            t.Numeric({ minimum: -180, maximum: 180, description: 'Degrees; requires `lat`.', examples: [-122.985] }),
          ),
          proximity_km: t.Optional(
            t.Numeric({
              exclusiveMinimum: 0,
              maximum: 20_000,
              description: 'Radius of the proximity bonus in kilometers.',
              byDefault: 50,
              examples: [50],
            }),
          ),
          group: t.Optional(Type.Literal('owner', { takes: 'owner', description: 'Merges parcels of one owner.' })),
          after: t.Optional(
            t.String({
              minLength: 1,
              maxLength: MAX_CURSOR_CHARACTERS,
              pattern: '^[A-Za-z0-9_-]+$',
              takes: CURSOR,
              description:
                '`next` of the previous page, or `members_next` of a group for the other parcels of its owner. Only `limit`, `total`, `explain`, `highlight` and `center` may differ from its request.',
              examples: [CURSOR_EXAMPLE],
            }),
          ),
          total: flag(
            '1 counts all hits, up to 1,000, and ranks all of them for the first page too. This takes longer for common words.',
          ),
          explain: flag('1 adds the parts of the score to each hit.'),
          highlight: flag('1 adds the matching fields to each hit, as HTML with the matched parts marked.'),
          center: flag('1 adds the center of the parcel to each parcel hit.'),
        }),
        response: {
          200: Type.Object({
            count,
            results: Type.Array(Type.Union([parcelHit, entityHit, ownerGroup]), {
              description: 'Best first. `kind` is the type of the hit.',
            }),
            total: countOf(
              'Number of hits on all pages, at most 1,000. For the other parcels of an owner: the number of all of them.',
              1,
            ),
            total_is_exact: Type.Boolean({
              description:
                'false: there may be more than `total`. `total=1` and later pages count all hits; more than 1,000 are never counted.',
              examples: [true],
            }),
            next: textOrNull(
              '`after` for the next page; null on the last page. Pages end after 1,000 hits.',
              CURSOR_EXAMPLE,
            ),
            corrected: Type.Optional(
              Type.String({
                description: 'The corrected query. Present only if words that are in no record were treated as typos.',
                examples: ['juniper alder st'],
              }),
            ),
          }),
          ...keyedErrors,
        },
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

/** The letters and digits of a query. A correction that changes only other characters is not reported. */
const spell = (text: string): string => splitWords(text).join('')

/** @throws HttpError 400 */
const parseTypes = (text: string | undefined): SearchType[] => {
  const names = text === undefined ? TYPES : text.split(',').map((name) => name.trim())
  return names.map((name) => {
    const type = TYPES.find((known) => known === name)
    if (type === undefined) throw new HttpError(400, `types must be a comma-separated subset of ${TYPES.join(', ')}`)
    return type
  })
}
