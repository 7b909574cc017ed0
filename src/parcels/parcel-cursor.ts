import { isUuid } from '../../core/text/uuid'
import type { ParcelCursor, ParcelOrder } from '../../drizzle/queries/parcels/list-parcels'

/** Reads the `next` of a page in this order. `ranked`: by distance or size. Null: it is not one. */
export const readCursor = (order: ParcelOrder | 'ranked', text: string): ParcelCursor | null => {
  if (order === 'id') return isUuid(text) ? { id: text } : null
  const slash = text.indexOf('/')
  const [first, second] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)]
  if (first === '' || second === '') return null
  if (order === 'parcel') return { source: first, sourceParcelId: second }
  const rank = Number(first)
  return Number.isNaN(rank) || !isUuid(second) ? null : { rank, id: second }
}

/** Reads a cursor that the database wrote. */
export const cursorOf = (order: ParcelOrder, text: string): ParcelCursor => {
  const cursor = readCursor(order, text)
  if (cursor === null) throw new Error(`not a cursor: ${text}`)
  return cursor
}
