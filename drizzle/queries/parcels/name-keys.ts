import type { Db, Fragment } from '../../../core/postgres/database'

/** SQL: the normalized form of a name that a caller typed, or of a column, as an array. */
export const nameKeys = (db: Db, name: string | Fragment): Fragment => db`array[normalize_name(${name}::text)]`

/**
 * SQL: the normalized forms of a parcel id, as an array. "é" can be one character (NFC) or two (NFD). Sources write either, browsers and
 * keyboards send either, and `parcel_key` tells them apart.
 */
export const idKeys = (db: Db, id: string): Fragment =>
  db`array[parcel_key(normalize(${id}::text, NFC)), parcel_key(normalize(${id}::text, NFD))]`
