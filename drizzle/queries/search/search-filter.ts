import type { Db } from '../../../core/postgres/database'

export interface SearchFilter {
  state: string | null
  source: string | null
  /** A prefix, in any case, of the zoning code, the zoning description or the land use class. */
  zoning: string | null
}

/** `and ...` for `parcels p join sources s`. */
export const parcelFilter = (db: Db, { state, source, zoning }: SearchFilter) => db`
  ${state === null ? db`` : db`and s.state = ${state}`}
  ${source === null ? db`` : db`and p.source = ${source}`}
  ${
    zoning === null
      ? db``
      : db`and (starts_with(lower(p.zoning_code), lower(${zoning})) or starts_with(lower(p.zoning_description), lower(${zoning}))
          or starts_with(lower(p.land_use_class), lower(${zoning})))`
  }
`
