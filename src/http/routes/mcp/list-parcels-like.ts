import type { ParcelFilter } from '../../../../core/parcel-filter'
import { readCursor } from '../../../parcels/parcel-cursor'
import { HttpError } from '../../convention/errors'
import { type ListedValues, readListed, SHORT_FIELDS } from './describe-parcel'
import type { ToolContext } from './tool'

/** Parcels are counted up to this number. */
export const MAX_COUNTED = 1_000

/** Up to `limit` parcels that meet a filter, by source and id. */
export const listParcelsLike = async (
  filter: ParcelFilter,
  { limit, after = null }: { limit: number; after?: string | null },
  { deps, caller }: ToolContext,
): Promise<{ parcels: ListedValues[]; next: string | null }> => {
  const order = 'parcel'
  const cursor = after === null ? null : readCursor(order, after)
  if (after !== null && cursor === null) throw new HttpError(400, 'after must be that of the previous answer')
  const wanted = { filter, fields: SHORT_FIELDS, order, after: cursor, geometry: 'none', asOf: null, limit } as const
  const { parcels, next } = await deps.parcelLists.find(wanted, caller)
  return { parcels: parcels.map(readListed), next }
}

/** The parcels that meet a filter, up to 1,000. */
export const countParcelsLike = async (
  filter: ParcelFilter,
  context: ToolContext,
): Promise<{ parcels: ListedValues[]; hasMore: boolean }> => {
  const { parcels, next } = await listParcelsLike(filter, { limit: MAX_COUNTED }, context)
  return { parcels, hasMore: next !== null }
}
