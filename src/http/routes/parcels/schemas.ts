import { type TOptional, Type } from '@sinclair/typebox'
import { scrape } from '../../../../adapters/scrape'
import { ACCOUNT_FIELD_NAMES, ACCOUNT_FIELDS, type AccountFieldName } from '../../../../core/parcels/accounts'
import { LINK_KINDS } from '../../../../drizzle/schema/values'
import {
  at,
  atOrNull,
  closed,
  count,
  countOf,
  idOf,
  oneOf,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
} from '../../schemas'
import { parcelFieldSchemas } from './field-schemas'

const position = Type.Array(Type.Number(), { minItems: 2, maxItems: 2, examples: [[-122.985, 45.515]] })

const multiPolygon = Type.Object(
  {
    type: Type.Literal('MultiPolygon', { description: 'Always MultiPolygon.' }),
    coordinates: Type.Array(Type.Array(Type.Array(position)), {
      description: 'An array of polygons, each an array of rings of [longitude, latitude] positions.',
    }),
  },
  {
    component: 'MultiPolygon',
    description: 'GeoJSON (RFC 7946), EPSG:4326.',
    examples: [
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [-122.985, 45.515],
              [-122.9846, 45.515],
              [-122.9846, 45.5153],
              [-122.985, 45.515],
            ],
          ],
        ],
      },
    ],
  },
)

const linkedParcel = Type.Object(
  {
    kind: oneOf(LINK_KINDS, {
      description:
        '`split`: the land of one parcel went to several. `merge`: the land of several went to one. `replaced`: one parcel replaced another with about the same boundary.',
      examples: ['split'],
    }),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    path: textOf('Path of its record.', '/v1/parcels/sample-county/12-0345-0670'),
  },
  { ...closed, component: 'LinkedParcel', description: 'A parcel that has, or had, the land of another one.' },
)

const dollars = (description: string, example: number) =>
  Type.Union([Type.Integer(), Type.Null()], { description, examples: [example] })

type AccountSchemas = {
  [Name in AccountFieldName]: ReturnType<
    (typeof ACCOUNT_FIELDS)[Name]['type'] extends 'money' ? typeof dollars : typeof textOrNull
  >
}

const accountFieldSchemas = Object.fromEntries(
  ACCOUNT_FIELD_NAMES.map((name) => {
    const field = ACCOUNT_FIELDS[name]
    return [
      name,
      field.type === 'money' ? dollars(field.description, field.example) : textOrNull(field.description, field.example),
    ]
  }),
) as AccountSchemas

const parcelAccount = Type.Object(accountFieldSchemas, {
  ...closed,
  component: 'ParcelAccount',
  description: "A row of the assessor's roll, such as a unit of a building.",
})

export const parcel = Type.Object(
  {
    id: idOf('record'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    geom_geojson: Type.Union([multiPolygon, Type.Null()], {
      description: 'The boundary; null if unknown. Then `lon` and `lat` may have a point.',
    }),
    ...parcelFieldSchemas,
    accounts: Type.Array(parcelAccount, {
      description: "The rows of the assessor's roll for this parcel, if a roll was loaded. Empty otherwise.",
    }),
    scrape_data: Type.Union([scrape, Type.Object({}, { additionalProperties: false })], {
      description: 'Data from the last scrape; {} until the first scrape.',
    }),
    scraped_at: atOrNull('Time of the last scrape; null if never scraped.'),
    scraped_by: textOrNull('The adapter that scraped it.', 'arcgis-rest'),
    scrape_data_as_of: textOrNull('How current the scraped data is: a year or an ISO date.', '2026'),
    scrape_data_as_of_source: textOrNull(
      'Where `scrape_data_as_of` was read from; same values as `scrape_data.data_as_of_source`.',
      'page-marker',
    ),
    ingested_at: at('Time when the record was first stored.'),
    updated_at: at('Time of the last change.'),
    retired_at: atOrNull('Time when the source stopped listing the parcel; null if it lists it.'),
    predecessors: Type.Array(linkedParcel, { description: 'Retired parcels whose land this parcel now has.' }),
    successors: Type.Array(linkedParcel, { description: 'For a retired parcel: the parcels that have its land.' }),
  },
  { ...closed, component: 'Parcel', description: 'A parcel with all fields.' },
)

const optionalFieldSchemas = Object.fromEntries(
  Object.entries(parcelFieldSchemas).map(([name, schema]) => [name, Type.Optional(schema)]),
) as { [Name in keyof typeof parcelFieldSchemas]: TOptional<(typeof parcelFieldSchemas)[Name]> }

/** A row of a list. */
const parcelRow = Type.Object(
  {
    id: idOf('record'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    ...optionalFieldSchemas,
    state: Type.Optional(textOf('State of the source.', 'OR')),
    county_name: Type.Optional(textOf('County of the source.', 'Larkspur')),
    bbox: Type.Optional(
      Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
        description:
          'West, south, east, north of the boundary, or of the point if the boundary is unknown; null if neither is known.',
        examples: [[-122.99, 45.51, -122.98, 45.52]],
      }),
    ),
    scraped_at: Type.Optional(atOrNull('Time of the last scrape; null if never scraped.')),
    ingested_at: Type.Optional(at('Time when the record was first stored.')),
    updated_at: Type.Optional(at('Time of the last change.')),
    retired_at: Type.Optional(
      atOrNull(
        'Only with `include=retired` or `retired=true`, or if requested in `fields`: when the source stopped listing the parcel; null if it lists it.',
      ),
    ),
    accounts: Type.Optional(
      Type.Array(parcelAccount, {
        description: "Only if requested in `fields`: the rows of the assessor's roll for this parcel.",
      }),
    ),
    distance_m: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'Only with `near`, and for neighbors: distance in meters to the boundary, or to the point if there is no boundary.',
        examples: [12.5],
      }),
    ),
    shared_edge_m: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Only for neighbors: length of the common border in meters.',
        examples: [30.48],
      }),
    ),
    geom_geojson: Type.Optional(
      Type.Union([multiPolygon, Type.Null()], { description: 'Only with `geometry`: the boundary; null if unknown.' }),
    ),
  },
  { ...closed, component: 'ParcelRow', description: 'A parcel with its main fields, or with the chosen ones.' },
)

/** A page of a list. */
export const parcelPage = Type.Object({
  count,
  parcels: Type.Array(parcelRow, { description: 'In the order of the list.' }),
  next: textOrNull(
    '`after` for the next page; null on the last page. Its format depends on the order. A page with large boundaries or accounts, or of a thin area, can have fewer rows than `limit` even if it is not the last.',
    'sample-county/12-0001-0020',
  ),
  total: Type.Optional(countOf('Only with `count`: number of parcels on all pages.', 128)),
  total_is_exact: Type.Optional(
    Type.Boolean({
      description:
        'Only with `count`: false if `total` is an estimate. At a place other than a box, it is always exact.',
      examples: [true],
    }),
  ),
  complete_until: Type.Optional(
    at(
      'Only with `changed_since`: changes before this time are in the list. To poll, send the one of the first page as the next `changed_since`.',
    ),
  ),
})
