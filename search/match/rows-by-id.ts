import { add, BY, type Found, note } from './found-rows'
import type { ReadParcel } from './read-parcel'
import { ID_WORTH, type RowQuery } from './row-query'

/** The rows by the spellings of their parcel ids. */
export const indexIds = (queries: readonly RowQuery[]) => {
  const [wholes, shorts] = [new Map<string, RowQuery[]>(), new Map<string, RowQuery[]>()]
  for (const query of queries) {
    if (query.idSpellings === null) continue
    const [whole, , short] = query.idSpellings
    add(wholes, whole, query)
    add(shorts, short, query)
  }
  return {
    find: (parcel: ReadParcel, found: Found): void => {
      if (wholes.size === 0) return
      const [whole, , short] = parcel.idSpellings()
      for (const query of wholes.get(whole) ?? []) note(found, query, BY.id)
      for (const query of shorts.get(short) ?? []) note(found, query, BY.id)
    },
  }
}

/** How exactly the parcel's id equals the row's. */
export const worthOfId = ({ idSpellings }: RowQuery, parcel: ReadParcel): number => {
  if (idSpellings === null) return ID_WORTH.none
  const [whole, grouped, short] = idSpellings
  const [theirWhole, theirGrouped, theirShort] = parcel.idSpellings()
  if (whole === theirWhole) return grouped === theirGrouped ? ID_WORTH.exact : ID_WORTH.whole
  // "12-1-10" is "12-0001-0010", and "0012" is not "12-".
  if (grouped === theirGrouped) return ID_WORTH.grouped
  return short === theirShort ? ID_WORTH.short : ID_WORTH.none
}
