import { ZONING_FIELDS } from '../../../core/parcel-fields'
import type { Db } from '../../../core/postgres/database'

export interface SearchFilter {
  state: string | null
  source: string | null
  /** A prefix of one of `ZONING_FIELDS`, in upper or lower case. */
  zoning: string | null
}

const beginsWith = (db: Db, prefix: string) =>
  ZONING_FIELDS.map((name) => db`starts_with(lower(p.${db(name)}), lower(${prefix}))`).reduce(
    (left, right) => db`${left} or ${right}`,
  )

/** SQL that begins with `and`, for `live_parcels p join sources s`. */
export const parcelFilter = (db: Db, { state, source, zoning }: SearchFilter) => db`
  ${state === null ? db`` : db`and s.state = ${state}`}
  ${source === null ? db`` : db`and p.source = ${source}`}
  ${zoning === null ? db`` : db`and (${beginsWith(db, zoning)})`}
`
