import { Type } from '@sinclair/typebox'
import { BONUSES, type BonusName } from '../../../../search/rank/bonuses'
import { atOrNull, closed, count, countOf, idOf, sourceParcelId, sourceSlug, textOf, textOrNull } from '../../schemas'
import { parcelFieldSchemas } from '../parcels/field-schemas'

export const score = Type.Number({ description: 'Total score. Results are ordered by it.', examples: [3.42] })
const number = (description: string, example: number) => Type.Number({ description, examples: [example] })

const bonuses = Object.fromEntries(
  Object.entries(BONUSES).map(([name, { description, example }]) => [name, number(description, example)]),
) as Record<BonusName, ReturnType<typeof number>>

export const explain = Type.Optional(
  Type.Object(
    {
      text: Type.Object(
        {
          score: number('Score of the text match.', 2.92),
          coverage: number('Share of the query that matched, 0 to 1.', 1),
          words: Type.Array(
            Type.Object(
              {
                word: textOf('A word of the query, after correction.', 'juniper'),
                field: textOrNull('Field in which the word was found; null if not found.', 'owner_name'),
                similarity: Type.Number({
                  minimum: 0,
                  maximum: 1,
                  description: 'Similarity of this word to the one in the field, 0 to 1.',
                  examples: [1],
                }),
                weight: number('Weight of the field.', 3),
              },
              { ...closed, component: 'WordScore', description: 'Match of one word.' },
            ),
            { description: 'Words of the interpretation of the query that matched best.' },
          ),
        },
        { ...closed, component: 'TextScore', description: 'Score of the text match.' },
      ),
      bonuses: Type.Object(bonuses, {
        ...closed,
        component: 'Bonuses',
        description: 'Bonuses that are added to the text score.',
      }),
      normalizations: Type.Array(
        Type.Object(
          { from: textOf('The typed word.', 'jnuiper'), to: textOf('The replacement.', 'juniper') },
          { ...closed, component: 'Normalization', description: 'A query word that was replaced.' },
        ),
        { description: 'Query words that were replaced, for example to correct a typo.' },
      ),
    },
    {
      ...closed,
      component: 'ScoreExplanation',
      description:
        'With explain=1: the parts of the score. `text.score` and the bonuses add up to `score`, rounded to 6 decimals.',
    },
  ),
)

const MARKED: Readonly<Record<string, string>> = {
  owner_name: '<mark>JUNIPER</mark> ADA &amp; BO',
  situs_address: '123 N <mark>ALDER</mark> ST',
  situs_city: '<mark>WILLOW</mark>BROOK',
  source_parcel_id: '<mark>12-0001</mark>-0020',
  name: '<mark>JUNIPER</mark> FARMS LLC',
  registered_agent_name: 'ADA <mark>JUNIPER</mark>',
}
export const highlight = (component: string, ...names: string[]) =>
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
          'With highlight=1: the fields that matched, as HTML. Matched parts are inside <mark>; the rest is escaped. Fields of the hit itself are plain text.',
      },
    ),
  )

/** A cursor of a search, shortened. */
export const CURSOR_EXAMPLE = 'eyJzZWFyY2giOiJZUzNfb1F4NSJ9'

export const parcelHit = Type.Object(
  {
    kind: Type.Literal('parcel', { description: 'A parcel.' }),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    state: textOf('State of the county (2-letter code).', 'OR'),
    county_name: textOf('Name of the county.', 'Larkspur'),
    owner_name: parcelFieldSchemas.owner_name,
    situs_address: parcelFieldSchemas.situs_address,
    situs_city: parcelFieldSchemas.situs_city,
    situs_state: parcelFieldSchemas.situs_state,
    assessed_value: parcelFieldSchemas.assessed_value,
    score,
    explain,
    highlight: highlight('ParcelHighlight', 'owner_name', 'situs_address', 'situs_city', 'source_parcel_id'),
    center: Type.Optional(
      Type.Union([Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), Type.Null()], {
        description:
          "With center=1: [lon, lat] of the center of the parcel's bounding box; null if it has no geometry.",
        examples: [[-122.9848, 45.5152]],
      }),
    ),
    retired_at: Type.Optional(
      atOrNull('With include=retired: when the source stopped listing the parcel; null if it lists it.'),
    ),
  },
  { ...closed, component: 'ParcelHit', description: 'A parcel that matches the query.' },
)

/** An entity's fields from its registry. */
export const entityFields = {
  jurisdiction: textOf('State of the registry (2-letter code).', 'OR'),
  registry_number: textOf('Number in the registry.', '1234567-89'),
  name: textOf('Name of the entity.', 'JUNIPER FARMS LLC'),
  entity_type: textOrNull('Kind of entity.', 'DOMESTIC LIMITED LIABILITY COMPANY'),
  status: textOrNull('Status in the registry.', 'ACTIVE'),
  registered_agent_name: textOrNull('Its registered agent.', 'ADA JUNIPER'),
  linked_parcel_count: countOf('Number of parcels whose owner has this name.', 3),
}

export const entityHit = Type.Object(
  {
    kind: Type.Literal('entity', { description: 'A company or other registered entity.' }),
    id: idOf('entity'),
    ...entityFields,
    score,
    explain,
    highlight: highlight('EntityHighlight', 'name', 'registered_agent_name'),
  },
  { ...closed, component: 'EntityHit', description: 'A registered entity that matches the query.' },
)

export const ownerGroup = Type.Object(
  {
    kind: Type.Literal('owner-group', { description: 'Parcels with the same owner name.' }),
    owner_name: textOf('The owner name, as written by the sources.', 'JUNIPER ADA & BO'),
    member_count: countOf(
      'Number of parcels with this owner name, in any case. `owner` of `GET /v1/parcels` also finds other spellings, so it can return more.',
      2,
    ),
    members: Type.Array(parcelHit, { maxItems: 50, description: 'Up to 50 of them, best first.' }),
    members_next: textOrNull(
      '`after` for the other parcels of the owner, by source and id; null if `members` has all of them.',
      CURSOR_EXAMPLE,
    ),
    bbox: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
      description:
        'west, south, east, north; null if no member has a geometry. If west is greater than east, the box crosses the antimeridian.',
      examples: [[-122.99, 45.51, -122.98, 45.52]],
    }),
    score,
    explain,
    highlight: highlight('OwnerHighlight', 'owner_name'),
  },
  {
    ...closed,
    component: 'OwnerGroup',
    description: 'With group=owner: the parcels with the same owner name, in any case.',
  },
)

export const searchPage = Type.Object({
  count,
  results: Type.Array(Type.Union([parcelHit, entityHit, ownerGroup]), {
    description: 'Best first. `kind` is the type of the hit.',
  }),
  total: countOf(
    'Number of hits on all pages, at most 1,000. On pages of `members_next`: the number of all parcels of the owner.',
    1,
  ),
  total_is_exact: Type.Boolean({
    description:
      'false: there may be more than `total`. `total=1` and later pages count all hits; more than 1,000 are never counted.',
    examples: [true],
  }),
  next: textOrNull('`after` for the next page; null on the last page. Pages end after 1,000 hits.', CURSOR_EXAMPLE),
  corrected: Type.Optional(
    Type.String({
      description: 'The corrected query. Present only if words that are in no record were treated as typos.',
      examples: ['juniper alder st'],
    }),
  ),
})
