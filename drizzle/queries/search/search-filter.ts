import { ZONING_FIELDS } from '../../../core/parcel-fields'
import type { Db } from '../../../core/postgres/database'

/** Whether the parcels that sources list, retired parcels, or both are searched. */
export type Lifecycle = 'listed' | 'retired' | 'all'

export interface SearchFilter {
  state: string | null
  source: string | null
  /** A prefix of one of `ZONING_FIELDS`, in upper or lower case. */
  zoning: string | null
  lifecycle: Lifecycle
}

const beginsWith = (db: Db, prefix: string) =>
  ZONING_FIELDS.map((name) => db`starts_with(lower(p.${db(name)}), lower(${prefix}))`).reduce(
    (left, right) => db`${left} or ${right}`,
  )

/** SQL that begins with `and`, for `parcels p join sources s`. */
export const parcelFilter = (db: Db, { state, source, zoning, lifecycle }: SearchFilter) => db`
  ${lifecycle === 'listed' ? db`and p.retired_at is null` : db``}
  ${lifecycle === 'retired' ? db`and p.retired_at is not null` : db``}
  ${state === null ? db`` : db`and s.state = ${state}`}
  ${source === null ? db`` : db`and p.source = ${source}`}
  ${zoning === null ? db`` : db`and (${beginsWith(db, zoning)})`}
`
