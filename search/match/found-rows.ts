import type { RowQuery } from './row-query'

/** How a parcel was found for a row, as bits. */
export const BY = { id: 1, street: 2, owner: 4, point: 8 } as const
/** The rows that one parcel may answer, and how it was found for each. */
export type Found = Map<RowQuery, number>

export const note = (found: Found, query: RowQuery, by: number): void => {
  found.set(query, (found.get(query) ?? 0) | by)
}

/** Adds to the list of a key. A value that is added twice in a row is there once. */
export const add = <Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else if (list.at(-1) !== value) list.push(value)
}
