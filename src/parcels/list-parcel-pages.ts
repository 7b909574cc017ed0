import type { Read } from '../../core/postgres/replicas/reads'
import type { ParcelCursor } from '../../drizzle/queries/parcels/list-parcels'
import { findParcels, type ListedParcel, type ParcelPage, type ParcelsWanted } from './list-parcels'
import { cursorOf } from './parcel-cursor'
import { type AreaPlace, findParcelsInArea } from './parcels-in-area'

/** If the boundaries of a page are larger, the next pages are shorter. */
const MAX_PAGE_CHARACTERS = 4_000_000

const lengthOf = (parcels: readonly ListedParcel[]): number =>
  parcels.reduce((sum, { body, geom }) => sum + body.length + (geom?.length ?? 0), 1)

/**
 * All parcels of a list, page by page, for exports. Each page is a separate short statement, so a reader that stops between two pages
 * holds no transaction. The next page is read while the caller works on one: at most two are in memory.
 */
export async function* listParcelPages(
  query: Read,
  { place, ...wanted }: ParcelsWanted & { place: AreaPlace | null },
  { pageRows, maxRows = Infinity }: { pageRows: number; maxRows?: number },
): AsyncGenerator<ListedParcel[]> {
  let left = maxRows
  let limit = pageRows
  const read = (after: ParcelCursor | null): Promise<ParcelPage> => {
    const next = { ...wanted, after, limit: Math.min(limit, left) }
    const page = query((db) =>
      place === null ? findParcels(db, { ...next, asOf: null }) : findParcelsInArea(db, { ...next, ...place }),
    )
    // If the caller stops, nothing awaits this page.
    page.catch(() => {})
    return page
  }
  let reading: Promise<ParcelPage> | null = read(wanted.after)
  while (reading !== null) {
    const { parcels, next }: ParcelPage = await reading
    left -= parcels.length
    if (parcels.length > 0) {
      const fitting = Math.floor(parcels.length * (MAX_PAGE_CHARACTERS / lengthOf(parcels)))
      limit = Math.max(1, Math.min(pageRows, 2 * limit, fitting))
    }
    reading = next === null || left <= 0 ? null : read(cursorOf(wanted.order, next))
    yield parcels
  }
}
