import type { Db } from '../../core/postgres/database'
import type { ListedParcel, ParcelPage } from './list-parcels'
import { rankedCursorText } from './parcel-cursor'
import { type RowsWanted, readListedRows } from './read-listed-rows'

/** A parcel with its rank: a distance or an area. Equal ranks are ordered by id. */
export interface RankedParcel {
  id: string
  rank: number
  /** More members of the row. */
  shown?: Record<string, number>
}

/** Where a page of ranked parcels begins: after this one. */
export type RankCursor = Pick<RankedParcel, 'rank' | 'id'>

export const compareRanked = (a: RankCursor, b: RankCursor): number =>
  a.rank - b.rank || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const isBeyond = (parcel: RankCursor, after: RankCursor | null): boolean =>
  after === null || compareRanked(parcel, after) > 0

/** The first `limit` of the sorted `ranked`, with their rows. Fewer if their boundaries are large. */
export const readRankedPage = async (
  db: Db,
  ranked: readonly RankedParcel[],
  { limit, ...rows }: RowsWanted & { limit: number },
): Promise<ParcelPage> => {
  const page = ranked.slice(0, limit)
  const ids = page.map(({ id }) => id)
  const { parcels, last } = await readListedRows(db, ids, rows)
  const shown = new Map(page.map(({ id, shown }) => [id, shown]))
  const lastRead = page[last]
  return {
    parcels: parcels.map((parcel) => withMembers(parcel, shown.get(idOf(parcel)))),
    next: last + 1 < ranked.length && lastRead !== undefined ? rankedCursorText(lastRead) : null,
  }
}

/** Each row begins with its id. */
const idOf = ({ body }: ListedParcel): string => body.slice('{"id":"'.length, '{"id":"'.length + 36)

const withMembers = ({ body, geom }: ListedParcel, members: Record<string, number> | undefined): ListedParcel => ({
  body: members === undefined ? body : `${body.slice(0, -1)},${JSON.stringify(members).slice(1)}`,
  geom,
})
