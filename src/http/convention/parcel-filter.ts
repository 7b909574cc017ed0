import { t } from 'elysia'
import type { ParcelFilter } from '../../../core/parcel-filter'
import { include } from '../schemas'
import { HttpError } from './errors'
import { bbox, parseBbox } from './parse-bbox'
import { parseState } from './parse-state'

/** More than any value that a source publishes. */
const MAX_DOLLARS = 1e15
const MAX_ACRES = 1e9

const text = (description: string, example: string) =>
  t.Optional(t.String({ minLength: 1, maxLength: 100, description, examples: [example] }))

const amount = (maximum: number, description: string, example: number) =>
  t.Optional(t.Numeric({ minimum: 0, maximum, description, examples: [example] }))

/** Query parameters that select parcels. `parseParcelFilter` parses them. */
export const parcelFilterFields = {
  state: t.Optional(
    t.String({
      description: '2-letter code. Filters parcels by state and entities by jurisdiction.',
      examples: ['OR'],
    }),
  ),
  source: t.Optional(
    t.String({
      maxLength: 100,
      description: 'Slug of a source. Filters parcels, but not entities.',
      examples: ['sample-county'],
    }),
  ),
  county: text('Name of the county as in `county_name`, in upper or lower case. Returns parcels only.', 'Larkspur'),
  land_use: text('Prefix of `land_use_class`, in upper or lower case. Returns parcels only.', 'RESIDENTIAL'),
  zoning: text(
    'Prefix of `zoning_code`, `zoning_description` or `land_use_class`. Filters parcels, but not entities.',
    'R-7',
  ),
  min_value: amount(MAX_DOLLARS, 'Lowest `assessed_value` in dollars. Returns parcels only.', 250_000),
  max_value: amount(MAX_DOLLARS, 'Highest `assessed_value` in dollars. Returns parcels only.', 500_000),
  min_acres: amount(MAX_ACRES, 'Smallest `acreage`. Returns parcels only.', 0.1),
  max_acres: amount(MAX_ACRES, 'Largest `acreage`. Returns parcels only.', 40),
  bbox: t.Optional({
    ...bbox,
    description: `${bbox.description} Returns only parcels whose own bounding box meets it.`,
  }),
  include,
}

type ParcelFilterQuery = {
  [Name in keyof typeof parcelFilterFields]?: (typeof parcelFilterFields)[Name]['static'] | undefined
}

/**
 * Parses the query parameters of `parcelFilterFields`.
 *
 * @throws HttpError 400
 */
export const parseParcelFilter = (query: ParcelFilterQuery): ParcelFilter => ({
  state: parseState(query.state),
  source: query.source ?? null,
  county: query.county?.trim() ?? null,
  landUse: query.land_use ?? null,
  zoning: query.zoning ?? null,
  ...valueRange(query),
  ...acreRange(query),
  bbox: query.bbox === undefined ? null : parseBbox(query.bbox),
  lifecycle: query.include === 'retired' ? 'all' : 'listed',
})

const valueRange = (query: ParcelFilterQuery) => {
  const [minValue, maxValue] = [query.min_value ?? null, query.max_value ?? null]
  checkOrder('value', minValue, maxValue)
  return { minValue, maxValue }
}

const acreRange = (query: ParcelFilterQuery) => {
  const [minAcres, maxAcres] = [query.min_acres ?? null, query.max_acres ?? null]
  checkOrder('acres', minAcres, maxAcres)
  return { minAcres, maxAcres }
}

const checkOrder = (name: string, minimum: number | null, maximum: number | null): void => {
  if (minimum !== null && maximum !== null && minimum > maximum)
    throw new HttpError(400, `min_${name} must not be greater than max_${name}`)
}
