import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { SearchType } from '../../../search/query/query'
import { splitWords } from '../../../search/query/text'
import { authorization } from '../callers/auth'
import { callerOf } from '../callers/caller-of'
import { HttpError } from '../convention/errors'
import { parseState } from '../convention/parse-state'
import type { Deps } from '../deps'
import { parcelFieldSchemas } from '../parcel-field-schemas'
import {
  closed,
  count,
  countOf,
  idOf,
  keyedErrors,
  limit,
  query,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
} from '../schemas'

const score = Type.Number({ description: 'The total that ordered the hit.', examples: [3.42] })
const number = (description: string, example: number) => Type.Number({ description, examples: [example] })

const explain = Type.Optional(
  Type.Object(
    {
      text: Type.Object(
        {
          score: number('What the text is worth.', 2.92),
          coverage: number('Share of the query that was found, 0 to 1.', 1),
          words: Type.Array(
            Type.Object(
              {
                word: textOf('A word of the query, as it was read.', 'juniper'),
                field: textOrNull('Where the word was found; null when nowhere.', 'owner_name'),
                similarity: Type.Number({
                  minimum: 0,
                  maximum: 1,
                  description: 'How alike the two are, 0 to 1.',
                  examples: [1],
                }),
                weight: number('What the field is worth.', 3),
              },
              { ...closed, component: 'WordScore', description: 'Where one word was found.' },
            ),
            { description: 'The words of the reading of the query that fitted best.' },
          ),
        },
        { ...closed, component: 'TextScore', description: 'What the text of a hit is worth.' },
      ),
      bonuses: Type.Object(
        {
          exact_prefix: number('For a field that begins as the query.', 0.5),
          exact_parcel_id: number('For the very parcel id.', 0),
          proximity: number('For being near lat and lon.', 0),
        },
        { ...closed, component: 'Bonuses', description: 'What is added to the text.' },
      ),
      normalizations: Type.Array(
        Type.Object(
          { from: textOf('As it was typed.', 'jnuiper'), to: textOf('As it was read.', 'juniper') },
          { ...closed, component: 'Normalization', description: 'A word that was read as another.' },
        ),
        { description: 'Words of the query that were read as others.' },
      ),
    },
    {
      ...closed,
      component: 'ScoreExplanation',
      description: 'With explain=1: the parts of the score. text.score and the bonuses add up to it, to 6 decimals.',
    },
  ),
)

const MARKED: Readonly<Record<string, string>> = {
  owner_name: '<mark>JUNIPER</mark> ADA &amp; BO',
  situs_address: '123 N <mark>ALDER</mark> ST',
  situs_city: '<mark>WILLOW</mark>BROOK',
  name: '<mark>JUNIPER</mark> FARMS LLC',
  registered_agent_name: 'ADA <mark>JUNIPER</mark>',
}
const highlight = (component: string, ...names: string[]) =>
  Type.Optional(
    Type.Object(
      Object.fromEntries(
        names.map((name) => [
          name,
          Type.Optional(textOf(`\`${name}\` with its matched parts marked.`, MARKED[name] ?? '')),
        ]),
      ),
      {
        ...closed,
        component,
        description:
          'With highlight=1: the fields that match, as HTML. Each matched part stands in <mark>; the rest is escaped.',
      },
    ),
  )

const flag = (description: string) =>
  t.Optional(
    Type.Union(
      (['1', '0', 'true', 'false'] as const).map((value) => Type.Literal(value)),
      { takes: '1 or 0', description, byDefault: '0', examples: ['1'] },
    ),
  )

const isSet = (value: string | undefined): boolean => value === '1' || value === 'true'

const parcelHit = Type.Object(
  {
    kind: Type.Literal('parcel', { description: 'A parcel.' }),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    state: textOf('State of the county: its 2-letter code.', 'OR'),
    county_name: textOf('Name of the county.', 'Larkspur'),
    owner_name: parcelFieldSchemas.owner_name,
    situs_address: parcelFieldSchemas.situs_address,
    situs_city: parcelFieldSchemas.situs_city,
    situs_state: parcelFieldSchemas.situs_state,
    assessed_value: parcelFieldSchemas.assessed_value,
    score,
    explain,
    highlight: highlight('ParcelHighlight', 'owner_name', 'situs_address', 'situs_city'),
    center: Type.Optional(
      Type.Union([Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), Type.Null()], {
        description: "With center=1: [lon, lat] of the centre of the parcel's box; null when it has no geometry.",
        examples: [[-122.9848, 45.5152]],
      }),
    ),
  },
  { ...closed, component: 'ParcelHit', description: 'A parcel that fits the query.' },
)

const entityHit = Type.Object(
  {
    kind: Type.Literal('entity', { description: 'A company or another registered entity.' }),
    id: idOf('entity'),
    jurisdiction: textOf('State of the registry: its 2-letter code.', 'OR'),
    registry_number: textOf('Number in the registry.', '1234567-89'),
    name: textOf('Name of the entity.', 'JUNIPER FARMS LLC'),
    entity_type: textOrNull('Kind of entity.', 'DOMESTIC LIMITED LIABILITY COMPANY'),
    status: textOrNull('Status in the registry.', 'ACTIVE'),
    registered_agent_name: textOrNull('Its registered agent.', 'ADA JUNIPER'),
    linked_parcel_count: countOf('Parcels whose owner has this name.', 3),
    score,
    explain,
    highlight: highlight('EntityHighlight', 'name', 'registered_agent_name'),
  },
  { ...closed, component: 'EntityHit', description: 'A registered entity that fits the query.' },
)

const ownerGroup = Type.Object(
  {
    kind: Type.Literal('owner-group', { description: 'Parcels of one owner.' }),
    owner_name: textOf('The owner, as the sources write it.', 'JUNIPER ADA & BO'),
    member_count: countOf('How many parcels it has.', 2),
    members: Type.Array(parcelHit, { maxItems: 50, description: 'The first 50, best first.' }),
    bbox: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
      description: 'west, south, east, north; null when no member has a geometry.',
      examples: [[-122.99, 45.51, -122.98, 45.52]],
    }),
    score,
    explain,
    highlight: highlight('OwnerHighlight', 'owner_name'),
  },
  { ...closed, component: 'OwnerGroup', description: 'With group=owner: the parcels of one owner.' },
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
