import type { Db } from '../../core/postgres/database'
import { readRows } from '../../drizzle/queries/parcels/list-candidates'
import type { ListField } from '../../drizzle/queries/parcels/list-fields'
import { type ListedParcel, type RowGeometry, showGeometry } from './list-parcels'

/** The content of each row of a list. */
export interface RowsWanted {
  fields: readonly ListField[]
  geometry: RowGeometry
  /** Whether to return the point of a parcel without a boundary. */
  withPoints?: boolean
}

interface ListedRows {
  parcels: ListedParcel[]
  /** Index of the last id that was read. Less than the last: the boundaries are large, and the page must end here. */
  last: number
}

/** The rows of parcels, in the order of `ids`. A parcel that was deleted in the meantime is left out. */
export const readListedRows = async (
  db: Db,
  ids: readonly string[],
  { fields, geometry, withPoints = false }: RowsWanted,
): Promise<ListedRows> => {
  if (ids.length === 0) return { parcels: [], last: -1 }
  const rows = await readRows(db, ids, { fields, withGeometry: geometry !== 'none', withPoints })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const isCut = rows.length < (rows[0]?.found ?? 0)
  return {
    parcels: ids.flatMap((id) => {
      const row = byId.get(id)
      return row === undefined ? [] : [{ body: row.body, geom: showGeometry(row.geom, geometry) }]
    }),
    last: isCut ? ids.findLastIndex((id) => byId.has(id)) : ids.length - 1,
  }
}
