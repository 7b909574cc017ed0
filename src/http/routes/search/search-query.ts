import { type Static, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { type Cursor, decodeCursor, MAX_CURSOR_CHARACTERS } from '../../../../search/cursor'
import { hashSearch, type SearchParams, type SearchType } from '../../../../search/query/query'
import { HttpError } from '../../convention/errors'
import { parseParcelFilter, searchFilterFields } from '../../convention/parameters/parcel-filter'
import { limit, query } from '../../schemas'
import { CURSOR_EXAMPLE } from './schemas'

const TOO_SHORT = 'q must be ≥2 chars'
/** People type shorter queries. Each additional word makes the comparison with every candidate slower. */
const MAX_CHARACTERS = 200
const CURSOR = 'the `next` or `members_next` of a response to the same search with the same filters'
const TYPES: readonly SearchType[] = ['parcels', 'entities']

const flag = (description: string) =>
  t.Optional(
    Type.Union(
      (['1', '0', 'true', 'false'] as const).map((value) => Type.Literal(value)),
      { takes: '1 or 0', description, byDefault: '0', examples: ['1'] },
    ),
  )

const isSet = (value: string | undefined): boolean => value === '1' || value === 'true'

/** The query parameters of a search. */
export const searchQuery = query({
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
  group: t.Optional(
    Type.Literal('owner', { takes: 'owner', description: 'Merges parcels with the same owner name, in any case.' }),
  ),
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
})
type SearchQuery = Static<typeof searchQuery>

/** @throws HttpError 400 */
export const parseSearch = (query: SearchQuery): SearchParams => {
  const q = parseText(query.q)
  refuseHalfPlace(query)
  const search: SearchParams = {
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
  return { ...search, after: parseAfter(query.after, search) }
}

/** @throws HttpError 400 */
const parseText = (text: string): string => {
  const q = text.trim()
  const length = [...q].length
  if (length < 2) throw new HttpError(400, TOO_SHORT)
  if (length > MAX_CHARACTERS) throw new HttpError(400, `q must be at most ${MAX_CHARACTERS} characters`)
  return q
}

/** @throws HttpError 400 */
const refuseHalfPlace = ({ lat, lon }: SearchQuery): void => {
  if ((lat === undefined) === (lon === undefined)) return
  throw new HttpError(400, `${lat === undefined ? 'lat' : 'lon'} is missing: lat and lon must be given together`)
}

/** @throws HttpError 400 */
const parseTypes = (text: string | undefined): SearchType[] => {
  const names = text === undefined ? TYPES : text.split(',').map((name) => name.trim())
  return names.map((name) => {
    const type = TYPES.find((known) => known === name)
    if (type === undefined) throw new HttpError(400, `types must be a comma-separated subset of ${TYPES.join(', ')}`)
    return type
  })
}

/** A cursor belongs to one search. @throws HttpError 400 */
const parseAfter = (text: string | undefined, search: SearchParams): Cursor | null => {
  const after = text === undefined ? null : decodeCursor(text, hashSearch(search))
  if (text !== undefined && after === null) throw new HttpError(400, `after must be ${CURSOR}`)
  return after
}
