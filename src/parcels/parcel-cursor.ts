import { isUuid } from '../../core/text/uuid'
import { nameOfOrder, type ParcelCursor, type ParcelOrder } from '../../drizzle/queries/parcels/list-parcels'

const RANKED = 'ranked'

/** Not in the slug of a source. */
const AFTER_ORDER = ':'

/** The `next` of a page that is ordered by distance or size. */
export const rankedCursorText = ({ rank, id }: Extract<ParcelCursor, { rank: number }>): string =>
  `${RANKED}${AFTER_ORDER}${rank}/${id}`

/**
 * Reads the `next` of a page in this order. `ranked`: by distance or size. Null: it is not one, or is one of another order, which would
 * begin somewhere else.
 */
export const readCursor = (order: ParcelOrder | typeof RANKED, text: string): ParcelCursor | null => {
  if (order === 'id') return isUuid(text) ? { id: text } : null
  const slash = text.indexOf('/')
  const [first, second] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)]
  if (first === '' || second === '') return null
  if (order === 'parcel') return first.includes(AFTER_ORDER) ? null : { source: first, sourceParcelId: second }
  const [name, number = ''] = first.split(AFTER_ORDER)
  if (name !== (order === RANKED ? RANKED : nameOfOrder(order))) return null
  const rank = number === '' ? Number.NaN : Number(number)
  return Number.isNaN(rank) || !isUuid(second) ? null : { rank, id: second }
}

/** Reads a cursor that the database wrote. */
export const cursorOf = (order: ParcelOrder, text: string): ParcelCursor => {
  const cursor = readCursor(order, text)
  if (cursor === null) throw new Error(`not a cursor: ${text}`)
  return cursor
}
