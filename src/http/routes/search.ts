import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { SearchType } from '../../../search/query'
import { splitWords } from '../../../search/text'
import { authorization } from '../auth'
import { callerOf } from '../caller-of'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { parseState } from '../parse-state'
import { closed, keyedErrors, limit, nullable, query, sourceSlug, uuid } from '../schemas'

const text = nullable(Type.String())
const score = Type.Number({ description: 'The total that ordered the hit.' })

const explain = Type.Optional(
  Type.Object(
    {
      text: Type.Object(
        {
          score: Type.Number(),
          coverage: Type.Number({ description: 'Share of the query that was found, 0 to 1.' }),
          words: Type.Array(
            Type.Object(
              {
                word: Type.String(),
                field: nullable(Type.String({ description: 'Where the word was found; null when nowhere.' })),
                similarity: Type.Number({ minimum: 0, maximum: 1 }),
                weight: Type.Number(),
              },
              closed,
            ),
            { description: 'The words of the reading of the query that fitted best.' },
          ),
        },
        closed,
      ),
      bonuses: Type.Object(
        { exact_prefix: Type.Number(), exact_parcel_id: Type.Number(), proximity: Type.Number() },
        closed,
      ),
      normalizations: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }, closed), {
        description: 'Words of the query that were read as others.',
      }),
    },
    {
      ...closed,
      description: 'With explain=1: the parts of the score. text.score and the bonuses add up to it, to 6 decimals.',
    },
  ),
)

const highlight = <Names extends readonly string[]>(...names: Names) =>
  Type.Optional(
    Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())])), {
      ...closed,
      description:
        'With highlight=1: the fields that match, as HTML. Each matched part stands in <mark>; the rest is escaped.',
    }),
  )

const flag = (description: string) =>
  t.Optional(
    Type.Union(
      (['1', '0', 'true', 'false'] as const).map((value) => Type.Literal(value)),
      { takes: '1 or 0', description, examples: ['1'] },
    ),
  )

const isSet = (value: string | undefined): boolean => value === '1' || value === 'true'

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
    explain,
    highlight: highlight('owner_name', 'situs_address', 'situs_city'),
    center: Type.Optional(
      Type.Union([Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), Type.Null()], {
        description: "With center=1: [lon, lat] of the centre of the parcel's box; null when it has no geometry.",
      }),
    ),
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
    explain,
    highlight: highlight('name', 'registered_agent_name'),
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
    explain,
    highlight: highlight('owner_name'),
  },
  closed,
)

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
          t.Numeric({
            minimum: -90,
            maximum: 90,
            description: 'Degrees; with lon. Nearer parcels rank higher; none is left out.',
          }),
        ),
        lon: t.Optional(t.Numeric({ minimum: -180, maximum: 180, description: 'Degrees; with lat.' })),
        proximity_km: t.Optional(
          t.Numeric({
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
        explain: flag('1 adds to each hit the parts of its score.'),
        highlight: flag('1 adds to each hit its matching fields as HTML, the matched parts marked.'),
        center: flag('1 adds to each parcel hit where it is, for maps.'),
      }),
      response: {
        200: Type.Object({
          count: Type.Integer(),
          results: Type.Array(Type.Union([parcelHit, entityHit, ownerGroup])),
          corrected: Type.Optional(
            Type.String({
              description:
                'The query as it was understood, only when words of it that are in no record were taken for misspelt.',
            }),
          ),
        }),
        ...keyedErrors,
      },
      detail: { tags: ['search'], summary: 'Typeahead over parcels and business entities', operationId: 'search' },
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
