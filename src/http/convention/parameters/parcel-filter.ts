import { type TSchema, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { MAX_ACRES } from '../../../../core/bounds'
import { PARCEL_TEXT } from '../../../../core/parcels/fields'
import type { ParcelFilter } from '../../../../core/parcels/filter'
import { include, sourceSlug } from '../../schemas'
import { HttpError } from '../errors'
import { bbox, parseBbox } from './parse-bbox'
import { parseState } from './parse-state'
import { parseTime, time } from './parse-time'

/** More than any value that a source publishes. */
const MAX_DOLLARS = 1e15

const text = (description: string, example: string, maxLength = 100) =>
  t.Optional(t.String({ minLength: 1, maxLength, description, examples: [example] }))

const amount = (maximum: number, description: string, example: number) =>
  t.Optional(t.Numeric({ minimum: 0, maximum, description, examples: [example] }))

const yesOrNo = (description: string) =>
  t.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      takes: 'true or false',
      description,
      examples: ['true'],
    }),
  )

const conditions = {
  state: t.Optional(t.String({ description: '2-letter code.', examples: ['OR'] })),
  source: t.Optional(sourceSlug),
  county: text('Name of the county, in upper or lower case, with or without "County".', 'Larkspur'),
  land_use: text('Prefix of `land_use_class`, in upper or lower case.', 'RESIDENTIAL'),
  zoning: text('Prefix of `zoning_code`, `zoning_description` or `land_use_class`.', 'R-7'),
  min_value: amount(MAX_DOLLARS, 'Lowest `assessed_value` in dollars.', 250_000),
  max_value: amount(MAX_DOLLARS, 'Highest `assessed_value` in dollars.', 500_000),
  min_acres: amount(MAX_ACRES, 'Smallest `acreage`.', 0.1),
  max_acres: amount(MAX_ACRES, 'Largest `acreage`.', 40),
}

/** Query parameters that select parcels, without a place. `parseParcelFilter` parses them. */
export const parcelFilterFields = {
  ...conditions,
  owner: text(
    'Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only by search.',
    'NORTHCOTE SCOTT R & LINH',
    PARCEL_TEXT.owner_name,
  ),
  parcel_id: text(
    'Whole `source_parcel_id`, with or without punctuation, in upper or lower case.',
    '1200010020',
    PARCEL_TEXT.source_parcel_id,
  ),
  agricultural: yesOrNo('Whether `is_agricultural` is true or false.'),
  changed_since: time(
    'Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once, and retirements too.',
  ),
  has_geometry: yesOrNo('Whether the boundary is known.'),
  retired: yesOrNo('true: only retired parcels, which their source no longer lists. Each row then has `retired_at`.'),
  include,
}

const withNote = <Schema extends TSchema>(schema: Schema, note: string): Schema => ({
  ...schema,
  description: `${schema.description} ${note}`,
})
const PARCELS_ONLY = 'Returns parcels only.'
const NOT_ENTITIES = 'Filters parcels, but not entities.'

/** The query parameters of search. */
export const searchFilterFields = {
  state: withNote(conditions.state, 'Filters parcels by state and entities by jurisdiction.'),
  source: withNote(conditions.source, NOT_ENTITIES),
  county: withNote(conditions.county, PARCELS_ONLY),
  land_use: withNote(conditions.land_use, PARCELS_ONLY),
  zoning: withNote(conditions.zoning, NOT_ENTITIES),
  min_value: withNote(conditions.min_value, PARCELS_ONLY),
  max_value: withNote(conditions.max_value, PARCELS_ONLY),
  min_acres: withNote(conditions.min_acres, PARCELS_ONLY),
  max_acres: withNote(conditions.max_acres, PARCELS_ONLY),
  bbox: t.Optional({
    ...bbox,
    description: `${bbox.description} Returns only parcels whose bounding box intersects this one.`,
  }),
  include,
}

const placeFields = { bbox: t.Optional(bbox) }
type Fields = typeof parcelFilterFields & typeof placeFields

export type ParcelFilterQuery = { [Name in keyof Fields]?: Fields[Name]['static'] | undefined }

/**
 * Parses the query parameters of `parcelFilterFields` or `searchFilterFields`, and `bbox`.
 *
 * @throws HttpError 400
 */
export const parseParcelFilter = (query: ParcelFilterQuery): ParcelFilter => ({
  state: parseState(query.state),
  source: query.source ?? null,
  county: parseText('county', query.county),
  owner: parseWords('owner', query.owner),
  parcelId: parseWords('parcel_id', query.parcel_id),
  landUse: parseText('land_use', query.land_use),
  zoning: parseText('zoning', query.zoning),
  ...valueRange(query),
  ...acreRange(query),
  isAgricultural: parseYesOrNo(query.agricultural),
  changedSince: query.changed_since === undefined ? null : parseTime('changed_since', query.changed_since),
  hasGeometry: parseYesOrNo(query.has_geometry),
  bbox: query.bbox === undefined ? null : parseBbox(query.bbox),
  lifecycle: query.retired === 'true' ? 'retired' : query.include === 'retired' ? 'all' : 'listed',
})

/**
 * Removes spaces at both ends: Meilisearch ignores them and PostgreSQL compares them. Every text begins with a blank prefix in
 * Meilisearch, so a blank text is refused.
 *
 * @throws HttpError 400
 */
const parseText = (name: string, text: string | undefined): string | null => {
  if (text === undefined) return null
  const trimmed = text.trim()
  if (trimmed === '') throw new HttpError(400, `${name} must not be blank`)
  return trimmed
}

const parseYesOrNo = (text: 'true' | 'false' | undefined): boolean | null =>
  text === undefined ? null : text === 'true'

/**
 * Names and ids are compared without punctuation, so they must contain something else.
 *
 * @throws HttpError 400
 */
export const parseWords = (name: string, text: string | undefined): string | null => {
  if (text === undefined) return null
  if (!/[\p{L}\p{N}]/u.test(text)) throw new HttpError(400, `${name} must have a letter or digit`)
  return text
}

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

/** Whether the filter selects every parcel. */
export const isUnconditional = ({ lifecycle, ...conditions }: ParcelFilter): boolean =>
  lifecycle !== 'retired' && Object.values(conditions).every((condition) => condition === null)

/**
 * Conditions without an index, by their parameter. A list must not use one of them alone, because it could read every parcel for one
 * row.
 */
const UNINDEXED: [parameter: string, isSet: (filter: ParcelFilter) => boolean][] = [
  ['land_use', ({ landUse }) => landUse !== null],
  ['zoning', ({ zoning }) => zoning !== null],
  ['min_value', ({ minValue }) => minValue !== null],
  ['max_value', ({ maxValue }) => maxValue !== null],
  ['min_acres', ({ minAcres }) => minAcres !== null],
  ['max_acres', ({ maxAcres }) => maxAcres !== null],
  ['agricultural=false', ({ isAgricultural }) => isAgricultural === false],
  ['changed_since', ({ changedSince }) => changedSince !== null],
  ['has_geometry', ({ hasGeometry }) => hasGeometry !== null],
  ['retired', ({ lifecycle }) => lifecycle === 'retired'],
]

/** Whether an index finds the parcels of a few counties at most. */
export const isNarrow = ({ source, county, owner, parcelId, bbox }: ParcelFilter): boolean =>
  [source, county, owner, parcelId, bbox].some((condition) => condition !== null)

/**
 * Refuses a filter that no index supports.
 *
 * @throws HttpError 400, which says what to add
 */
export const refuseUnindexed = (filter: ParcelFilter): void => {
  if (isNarrow(filter)) return
  const found = UNINDEXED.find(([, isSet]) => isSet(filter))
  if (found !== undefined) throw needsNarrower(found[0])
}

/** For a parameter that needs one of the conditions of `isNarrow`. */
export const needsNarrower = (parameter: string): HttpError =>
  new HttpError(400, `${parameter} needs a narrower filter: add source, county, owner, parcel_id or bbox`)
