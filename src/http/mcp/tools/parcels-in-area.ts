import { type Static, Type } from '@sinclair/typebox'
import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../../../../core/geometry/bbox'
import { LISTED_PARCELS, type ParcelFilter } from '../../../../core/parcels/filter'
import { countNoun } from '../../../../core/text/count-noun'
import { readPolygon } from '../../../parcels/geometry/read-polygon'
import { HttpError } from '../../convention/errors'
import { parseBbox } from '../../convention/parameters/parse-bbox'
import { quote } from '../answer'
import { describeShort } from '../describe-parcel'
import {
  type Counted,
  countParcelsLike,
  listParcelsLike,
  type ParcelsLike,
  writeAcres,
  writeValue,
} from '../list-parcels-like'
import { after, closedInput, limit, source } from '../schemas'
import { defineTool } from '../tool'

const dollars = (description: string) => Type.Integer({ minimum: 0, maximum: 1e15, description })
const acres = (description: string) => Type.Number({ minimum: 0, maximum: 1e9, description })

/** About as many as fit into a request body. */
const MAX_POSITIONS = 3_000

const longitude = Type.Number({ minimum: -180, maximum: 180 })
const latitude = Type.Number({ minimum: -90, maximum: 90 })

const input = closedInput({
  west: Type.Optional(longitude),
  south: Type.Optional(latitude),
  east: Type.Optional(longitude),
  north: Type.Optional(latitude),
  polygon: Type.Optional(
    Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
      minItems: 3,
      maxItems: MAX_POSITIONS,
      description: 'Instead of the box: the corners of a polygon, as [longitude, latitude].',
    }),
  ),
  wholly_inside: Type.Optional(
    Type.Boolean({ description: 'true leaves out parcels that are partly outside. Default false.' }),
  ),
  list: Type.Optional(
    Type.Boolean({
      description: 'true lists the parcels. Default false: only the count, the total value and the land uses.',
    }),
  ),
  source: Type.Optional(source),
  land_use: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Beginning of the land use, in upper or lower case.' }),
  ),
  zoning: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Beginning of the zoning code or its description.' }),
  ),
  min_value_usd: Type.Optional(dollars('Lowest assessed value.')),
  max_value_usd: Type.Optional(dollars('Highest assessed value.')),
  min_acres: Type.Optional(acres('Smallest area.')),
  max_acres: Type.Optional(acres('Largest area.')),
  limit: Type.Optional(limit(100, 20)),
  after: Type.Optional(after),
})

type AreaInput = Static<typeof input>

export const parcelsInAreaTool = defineTool({
  name: 'parcels_in_area',
  title: 'Count or list the parcels in an area',
  description:
    'Counts or lists the parcels whose boundary intersects a box or a polygon, in degrees, or all of a source. Call it without list first: it returns the count and, for up to 1,000 parcels, the total value and the land uses. Then narrow the search, and call it with list.',
  needs: 'read',
  input,
  call: async (input, context) => {
    const wanted = { filter: readFilter(input), area: readArea(input) }
    if (input.list !== true) return summarize(await countParcelsLike(wanted, context))
    const { parcels, next } = await listParcelsLike(
      wanted,
      { limit: input.limit ?? 20, after: input.after ?? null },
      context,
    )
    return {
      lines: [
        `${countNoun(parcels.length, 'parcel')} shown, by source and id.`,
        ...(next === null ? [] : [`More: ${NARROW}, or call again with after=${quote(next)}.`]),
      ],
      records: parcels.map((parcel) => describeShort(parcel, context.deps.baseUrl)),
    }
  },
})

const NARROW = 'narrow by land_use, zoning, value, acres or a smaller box'

const PLACE = 'give west, south, east and north, or polygon, or only source'

/** @throws HttpError 400 */
const readBox = ({ west, south, east, north }: AreaInput): Bbox => {
  if (west === undefined || south === undefined || east === undefined || north === undefined)
    throw new HttpError(400, PLACE)
  return parseBbox([west, south, east, north].map((degrees) => degrees.toFixed(9)).join(','))
}

const hasBox = ({ west, south, east, north }: AreaInput): boolean =>
  [west, south, east, north].some((degrees) => degrees !== undefined)

/** Null: the whole source, or the polygon. */
const readFilterBox = (input: AreaInput): Bbox | null =>
  input.polygon !== undefined || (input.source !== undefined && !hasBox(input)) ? null : readBox(input)

/**
 * The polygon to compare with. Null: the filter is enough.
 *
 * @throws HttpError, ServiceError 400
 */
const readArea = (input: AreaInput): ParcelsLike['area'] => {
  const relation = input.wholly_inside === true ? 'within' : 'intersects'
  if (input.polygon === undefined) {
    if (relation === 'intersects') return null
    if (!hasBox(input)) throw new HttpError(400, 'wholly_inside needs west, south, east and north, or polygon')
    const [west, south, east, north] = readBox(input)
    if (west > east) throw new HttpError(400, 'wholly_inside: west must be less than east')
    return {
      polygon: toPolygon([
        [west, south],
        [east, south],
        [east, north],
        [west, north],
      ]),
      relation,
    }
  }
  if (hasBox(input)) throw new HttpError(400, PLACE)
  return { polygon: toPolygon(input.polygon), relation }
}

const toPolygon = (corners: readonly number[][]): MultiPolygon => {
  const ring = [...corners, corners[0] ?? []]
  return readPolygon('polygon', { type: 'Polygon', coordinates: [ring] }, MAX_POSITIONS + 1)
}

/** @throws HttpError 400 */
const readFilter = (input: AreaInput): ParcelFilter => {
  const order: [string, number | undefined, number | undefined][] = [
    ['value_usd', input.min_value_usd, input.max_value_usd],
    ['acres', input.min_acres, input.max_acres],
  ]
  for (const [name, least = 0, most = Infinity] of order)
    if (least > most) throw new HttpError(400, `min_${name} must not be greater than max_${name}`)
  return {
    ...LISTED_PARCELS,
    bbox: readFilterBox(input),
    source: input.source ?? null,
    landUse: input.land_use ?? null,
    zoning: input.zoning ?? null,
    minValue: input.min_value_usd ?? null,
    maxValue: input.max_value_usd ?? null,
    minAcres: input.min_acres ?? null,
    maxAcres: input.max_acres ?? null,
  }
}
const MAX_LAND_USES = 5

const summarize = ({ parcels, total: count, isExact }: Counted) => {
  const uses = [...Map.groupBy(parcels, ({ land_use_class }) => land_use_class)]
    .map(([land_use, { length }]) => ({ land_use: land_use ?? 'unknown', parcels: length }))
    .sort((one, other) => other.parcels - one.parcels)
  if (count > parcels.length) return { lines: [`${isExact ? '' : 'About '}${countNoun(count, 'parcel')}: ${NARROW}.`] }
  return {
    lines: [
      `${countNoun(parcels.length, 'parcel')}; together ${writeAcres(parcels)} and ${writeValue(parcels)}.`,
      ...(parcels.length === 0 ? [] : [`Call again with list=true to list them, or ${NARROW}.`]),
      ...(uses.length > MAX_LAND_USES ? [`${uses.length - MAX_LAND_USES} more land uses are left out.`] : []),
    ],
    records: uses.slice(0, MAX_LAND_USES),
  }
}
