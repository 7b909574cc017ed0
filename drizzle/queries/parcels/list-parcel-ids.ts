import type { Db } from '../../../core/postgres/database'

export interface ListedParcelId {
  source_parcel_id: string
  has_accounts: boolean
}

/** The ids of a source's listed parcels after `after`, in the order of the database. */
export const listParcelIds = (
  db: Db,
  { source, after, limit }: { source: string; after: string; limit: number },
): Promise<ListedParcelId[]> => db<ListedParcelId[]>`
  select source_parcel_id, accounts is not null as has_accounts from live_parcels
  where source = ${source} and source_parcel_id > ${after}
  order by source_parcel_id limit ${limit}`
