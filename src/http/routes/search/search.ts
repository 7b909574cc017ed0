import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { SearchType } from '../../../../search/query/query'
import { splitWords } from '../../../../search/query/text'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { HttpError } from '../../convention/errors'
import { parseState } from '../../convention/parse-state'
import type { Deps } from '../../deps'
import { count, keyedErrors, limit, query } from '../../schemas'
import { entityHit, flag, isSet, ownerGroup, parcelHit } from './schemas'

const TOO_SHORT = 'q must be ≥2 chars'
/** What a person types is shorter; every word more costs time in each candidate's comparison. */
const MOST_CHARACTERS = 200
const TYPES: readonly SearchType[] = ['parcels', 'entities']

export const searchRoutes = ({ search, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/search',
    async ({ query, request, set }) => {
      const q = query.q.trim()
      const length = [...q].length
      if (length < 2) throw new HttpError(400, TOO_SHORT)
      if (length > MOST_CHARACTERS) throw new HttpError(400, `q must be at most ${MOST_CHARACTERS} characters`)
      if ((query.lat === undefined) !== (query.lon === undefined)) {
        throw new HttpError(400, `${query.lat === undefined ? 'lat' : 'lon'} is missing: lat and lon come together`)
      }
      const params = {
        q,
        limit: query.limit ?? 20,
        types: parseTypes(query.types),
        state: parseState(query.state),
        source: query.source ?? null,
        lat: query.lat ?? null,
        lon: query.lon ?? null,
        proximityKm: query.proximity_km ?? 50,
        zoning: query.zoning ?? null,
        group: query.group ?? null,
        explain: isSet(query.explain),
        highlight: isSet(query.highlight),
        center: isSet(query.center),
      }
      const { hits, degraded, corrected } = await search.search(params, callerOf(request))
      if (degraded) set.headers.warning = '199 - "search degraded"'
      const isCorrected = corrected !== null && spell(corrected) !== spell(q)
      return Response.json({ count: hits.length, results: hits, ...(isCorrected ? { corrected } : {}) })
    },
    {
      needs: 'read',
      query: query({
        q: t.String({
          refusal: TOO_SHORT,
          description:
            'An owner, an address, a company or a parcel id, as far as it is typed; typos are forgiven. 2 to 200 characters. A state at its end narrows the search.',
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
        state: t.Optional(
          t.String({
            description: '2-letter code. Narrows parcels by state and entities by jurisdiction.',
            examples: ['OR'],
          }),
        ),
        source: t.Optional(
          t.String({
            maxLength: 100,
            description: 'Slug of a source. Narrows parcels; entities stay.',
            examples: ['sample-county'],
          }),
        ),
        lat: t.Optional(
          t.Numeric({
            minimum: -90,
            maximum: 90,
            description: 'Degrees; with lon. Nearer parcels rank higher; none is left out.',
            examples: [45.515],
          }),
        ),
        lon: t.Optional(
          t.Numeric({ minimum: -180, maximum: 180, description: 'Degrees; with lat.', examples: [-122.985] }),
        ),
        proximity_km: t.Optional(
          t.Numeric({
            exclusiveMinimum: 0,
            maximum: 20_000,
            description: 'How far the bonus for nearness reaches, in kilometres.',
            byDefault: 50,
            examples: [50],
          }),
        ),
        zoning: t.Optional(
          t.String({
            minLength: 1,
            maxLength: 100,
            description: 'Begins zoning_code, zoning_description or land_use_class. Narrows parcels; entities stay.',
            examples: ['R-7'],
          }),
        ),
        group: t.Optional(Type.Literal('owner', { takes: 'owner', description: 'Merges parcels of one owner.' })),
        explain: flag('1 adds to each hit the parts of its score.'),
        highlight: flag('1 adds to each hit its matching fields as HTML, the matched parts marked.'),
        center: flag('1 adds to each parcel hit where it is, for maps.'),
      }),
      response: {
        200: Type.Object({
          count,
          results: Type.Array(Type.Union([parcelHit, entityHit, ownerGroup]), {
            description: 'Best first. `kind` tells which one it is.',
          }),
          corrected: Type.Optional(
            Type.String({
              description:
                'The query as it was understood, only when words of it that are in no record were taken for misspelt.',
              examples: ['juniper alder st'],
            }),
          ),
        }),
        ...keyedErrors,
      },
      detail: {
        'x-headers': { 200: ['Warning'] },
        tags: ['search'],
        summary: 'Typeahead over parcels and business entities',
        description:
          'Forgives typos. While Meilisearch is away, PostgreSQL answers, and `Warning` says so: hits may be fewer and slower.',
        operationId: 'search',
      },
    },
  )

/** A query's letters and digits: a correction that changes nothing of them is none to speak of. */
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
