import type { MultiPolygon } from 'geojson'
import type { ParcelFilter } from '../../../core/parcels/filter'
import { formatCount } from '../../../core/text/count-noun'
import type { AreaRelation } from '../../parcels/geometry/prepared-area'
import { readCursor } from '../../parcels/parcel-cursor'
import { HttpError } from '../convention/errors'
import { type ListedValues, readListed, SHORT_FIELDS } from './describe-parcel'
import type { ToolContext } from './tool'

/** Up to this number, parcels are counted one by one, with their values. */
const MAX_COUNTED = 1_000

/** Which parcels a tool lists: those that meet a filter and an area. */
export interface ParcelsLike {
  filter: ParcelFilter
  /** Null: the filter is enough. */
  area: { polygon: MultiPolygon; relation: AreaRelation } | null
}

/** Up to `limit` parcels, by source and id. */
export const listParcelsLike = async (
  { filter, area }: ParcelsLike,
  { limit, after = null }: { limit: number; after?: string | null },
  { deps: { parcelLists }, caller }: ToolContext,
): Promise<{ parcels: ListedValues[]; next: string | null }> => {
  const order = 'parcel'
  const cursor = after === null ? null : readCursor(order, after)
  if (after !== null && cursor === null) throw new HttpError(400, 'after must be from the previous response')
  const wanted = { filter, fields: SHORT_FIELDS, order, after: cursor, geometry: 'none', limit } as const
  const { parcels, next } = await (area === null
    ? parcelLists.find({ ...wanted, asOf: null }, caller)
    : parcelLists.findInArea({ ...wanted, area: area.polygon, relation: area.relation }, caller))
  return { parcels: parcels.map(readListed), next }
}

/** The acres of all parcels together, and how many have none. */
export const writeAcres = (parcels: readonly ListedValues[]): string => {
  const known = parcels.flatMap(({ acreage }) => acreage ?? [])
  return `${sum(known).toFixed(1)} acres${writeUnknown(parcels.length - known.length)}`
}

/** The assessed value of all parcels together, and how many have none. */
export const writeValue = (parcels: readonly ListedValues[]): string => {
  const known = parcels.flatMap(({ assessed_value }) => assessed_value ?? [])
  return `$${formatCount(sum(known))} assessed${writeUnknown(parcels.length - known.length)}`
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const writeUnknown = (count: number): string => (count === 0 ? '' : ` (unknown for ${formatCount(count)} of them)`)

export interface Counted {
  /** All parcels, or the first 1,000. */
  parcels: ListedValues[]
  total: number
  isExact: boolean
}

/** The parcels, and how many there are. More than 1,000 are estimated. */
export const countParcelsLike = async (wanted: ParcelsLike, context: ToolContext): Promise<Counted> => {
  const { parcels, next } = await listParcelsLike(wanted, { limit: MAX_COUNTED }, context)
  if (next === null) return { parcels, total: parcels.length, isExact: true }
  const { filter, area } = wanted
  const place = area === null ? null : { area: area.polygon, relation: area.relation }
  const { total, isExact } = await context.deps.parcelLists.count({ filter, place, how: 'estimate' }, context.caller)
  return { parcels, total, isExact }
}
