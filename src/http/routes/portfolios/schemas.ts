import { Type } from '@sinclair/typebox'
import { PORTFOLIO_BOUNDS, TEXT } from '../../../../core/bounds'
import { formatCount } from '../../../../core/text/count-noun'
import {
  at,
  atOrNull,
  closed,
  countOf,
  idOf,
  nullable,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
  UUID_EXAMPLE,
} from '../../schemas'

export const name = Type.String({
  minLength: 1,
  maxLength: TEXT.code,
  pattern: '\\S',
  takes: `a name of 1 to ${TEXT.code} characters`,
  description: 'Its name.',
  examples: ['Solar sites'],
})

export const note = Type.String({
  maxLength: TEXT.text,
  takes: `a text of at most ${TEXT.text} characters`,
  description: 'A note about the parcel. Empty if there is none.',
  examples: ['Owner wants to sell in spring'],
})

export const tags = Type.Array(
  Type.String({ minLength: 1, maxLength: TEXT.code, pattern: '\\S', examples: ['called'] }),
  {
    maxItems: PORTFOLIO_BOUNDS.tags,
    takes: `a list of at most ${PORTFOLIO_BOUNDS.tags} words`,
    description: `At most ${PORTFOLIO_BOUNDS.tags} tags to find it by.`,
    examples: [['called', 'flat']],
  },
)

const portfolioFields = {
  id: idOf('portfolio'),
  name,
  created_at: at('When it was added.'),
  parcel_count: countOf('Number of its parcels.', 12),
}

export const portfolio = Type.Object(portfolioFields, {
  ...closed,
  component: 'Portfolio',
  description: 'A named collection of parcels, without the parcels.',
})

const number = (description: string, example: number) => nullable(Type.Number({ description, examples: [example] }))

export const portfolioWithParcels = Type.Object(
  {
    ...portfolioFields,
    parcels: Type.Array(
      Type.Object(
        {
          source: sourceSlug,
          source_parcel_id: sourceParcelId,
          note,
          tags,
          added_at: at('When it was added.'),
          state: textOf('State of the county (2-letter code).', 'OR'),
          county_name: textOf('Name of the county.', 'Larkspur'),
          owner_name: textOrNull('Owner, as in the record now.', 'JUNIPER ADA & BO'),
          situs_address: textOrNull('Address, as in the record now.', '123 N ALDER ST'),
          situs_city: textOrNull('City, as in the record now.', 'WILLOWBROOK'),
          assessed_value: number('Assessed value in dollars, as in the record now.', 243_500),
          acreage: number('Acres, as in the record now.', 0.21),
          land_use_class: textOrNull('Land use, as in the record now.', 'RESIDENTIAL'),
          center: Type.Union([Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), Type.Null()], {
            description: "[lon, lat] of the center of the parcel's bounding box; null if it has no geometry.",
            examples: [[-122.9848, 45.5152]],
          }),
          retired_at: atOrNull('When its source stopped listing it; null if it lists it.'),
        },
        { ...closed, component: 'PortfolioParcel', description: 'A parcel of a portfolio.' },
      ),
      { description: `At most ${formatCount(PORTFOLIO_BOUNDS.parcels)}, most recently added first.` },
    ),
  },
  { ...closed, component: 'PortfolioWithParcels', description: 'A portfolio and its parcels.' },
)

const id = Type.String({ description: 'A portfolio id (UUID).', examples: [UUID_EXAMPLE] })
export const portfolioKey = Type.Object({ id })
export const portfolioParcelKey = Type.Object({ id, source: sourceSlug, parcel: sourceParcelId })
