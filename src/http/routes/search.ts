import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { SearchType } from '../../../search/query'
import { STATE_CODES } from '../../../search/states'
import { authorization } from '../auth'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { closed, keyedErrors, limit, nullable, query, sourceSlug, uuid } from '../schemas'

const text = nullable(Type.String())
const score = Type.Number({ description: 'The total that ordered the hit.' })

const parcelHit = Type.Object(
  {
    kind: Type.Literal('parcel'),
    source: sourceSlug,
    source_parcel_id: Type.String(),
    state: Type.String(),
    county_name: Type.String(),
    owner_name: text,
    situs_address: text,
    situs_city: text,
    situs_state: text,
    assessed_value: Type.Union([Type.Integer(), Type.Null()]),
    score,
  },
  closed,
)

const entityHit = Type.Object(
  {
    kind: Type.Literal('entity'),
    id: uuid,
    jurisdiction: Type.String(),
    registry_number: Type.String(),
    name: Type.String(),
    entity_type: text,
    status: text,
    registered_agent_name: text,
    linked_parcel_count: Type.Integer(),
    score,
  },
  closed,
)

const ownerGroup = Type.Object(
  {
    kind: Type.Literal('owner-group'),
    owner_name: Type.String(),
    member_count: Type.Integer(),
    members: Type.Array(parcelHit, { maxItems: 50, description: 'Best first.' }),
    bbox: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
      description: 'west, south, east, north; null when no member has a geometry.',
    }),
    score,
  },
  closed,
)

const TOO_SHORT = 'q must be ≥2 chars'
const TYPES: readonly SearchType[] = ['parcels', 'entities']

export const searchRoutes = ({ search, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/search',
    async ({ query, set }) => {
      const q = query.q.trim()
      if ([...q].length < 2) throw new HttpError(400, TOO_SHORT)
      if ((query.lat === undefined) !== (query.lon === undefined)) {
        throw new HttpError(400, `${query.lat === undefined ? 'lat' : 'lon'} is missing: lat and lon come together`)
      }
      const { hits, degraded } = await search.search({
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
      })
      if (degraded) set.headers.warning = '199 - "search degraded"'
      return Response.json({ count: hits.length, results: hits })
    },
    {
      needs: 'read',
      query: query({
        q: t.String({
          refusal: TOO_SHORT,
          description:
            'An owner, an address, a company or a parcel id, as far as it is typed; typos are forgiven. At least 2 characters. A state at its end narrows the search.',
          examples: ['jnuiper alder st'],
        }),
        limit: limit(100, 20),
        types: t.Optional(
          t.String({
            description: 'Comma-separated subset of parcels and entities; both when it is left out.',
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
          t.String({ maxLength: 100, description: 'Slug of a source. Narrows parcels; entities stay.' }),
        ),
        lat: t.Optional(
          t.Number({
            minimum: -90,
            maximum: 90,
            description: 'Degrees; with lon. Nearer parcels rank higher; none is left out.',
          }),
        ),
        lon: t.Optional(t.Number({ minimum: -180, maximum: 180, description: 'Degrees; with lat.' })),
        proximity_km: t.Optional(
          t.Number({
            exclusiveMinimum: 0,
            maximum: 20_000,
            description: 'How far the bonus for nearness reaches (50 when it is left out).',
          }),
        ),
        zoning: t.Optional(
          t.String({
            minLength: 1,
            maxLength: 100,
            description: 'Begins zoning_code, zoning_description or land_use_class. Narrows parcels; entities stay.',
          }),
        ),
        group: t.Optional(Type.Literal('owner', { takes: 'owner', description: 'Merges parcels of one owner.' })),
      }),
      response: {
        200: Type.Object({
          count: Type.Integer(),
          results: Type.Array(Type.Union([parcelHit, entityHit, ownerGroup])),
        }),
        ...keyedErrors,
      },
      detail: { tags: ['search'], summary: 'Typeahead over parcels and business entities', operationId: 'search' },
    },
  )

/** @throws HttpError 400 */
const parseTypes = (text: string | undefined): SearchType[] => {
  const names = text === undefined ? TYPES : text.split(',').map((name) => name.trim())
  return names.map((name) => {
    const type = TYPES.find((known) => known === name)
    if (type === undefined) throw new HttpError(400, `types must be a comma-separated subset of ${TYPES.join(', ')}`)
    return type
  })
}

/** @throws HttpError 400 */
const parseState = (text: string | undefined): string | null => {
  if (text === undefined) return null
  const code = text.trim().toUpperCase()
  if (!STATE_CODES.has(code))
    throw new HttpError(400, 'state must be the 2-letter code of a US state, DC or a territory')
  return code
}
