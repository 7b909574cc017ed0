import type { MultiPolygon } from 'geojson'
import type { Db } from '../../drizzle/database'
import { type BoxRow, listParcelsInBox } from '../../drizzle/queries/parcels'
import type { Bbox } from '../../drizzle/records'
import { polygonMeetsBox } from './polygon-meets-box'

export interface ParcelPage {
  /** JSON texts of lightweight rows, by id. */
  rows: string[]
  /** The `after` of the next page; null on the last. */
  next: string | null
}

/**
 * A page of the parcels that lie in or touch a box, by id. A parcel whose own box lies inside is in; for the few on the edge
 * the polygon decides. A box with west > east crosses the antimeridian: it is two boxes.
 */
export const findParcelsInBox = async (
  db: Db,
  box: Bbox,
  page: { source: string | null; after: string | null; limit: number },
): Promise<ParcelPage> => {
  const boxes = splitAtAntimeridian(box)
  // One more than the page: whether there is a next one must not depend on rows that the polygons rule out.
  const wanted = page.limit + 1
  const hits: BoxRow[] = []
  let after = page.after
  while (hits.length < wanted) {
    const batch = await listInBoxes(db, boxes, { ...page, after, limit: wanted })
    hits.push(...batch.filter((row) => row.geom === null || meetsAny(row.geom, boxes)))
    const last = batch.at(-1)
    if (last === undefined || batch.length < wanted) break
    after = last.id
  }
  const rows = hits.slice(0, page.limit)
  return { rows: rows.map(({ body }) => body), next: hits.length > page.limit ? (rows.at(-1)?.id ?? null) : null }
}

const splitAtAntimeridian = ([west, south, east, north]: Bbox): Bbox[] =>
  west <= east
    ? [[west, south, east, north]]
    : [
        [west, south, 180, north],
        [-180, south, east, north],
      ]

/** The pages of several boxes, merged by id; a parcel in both comes once, and is inside if it is inside either. */
const listInBoxes = async (
  db: Db,
  boxes: Bbox[],
  page: { source: string | null; after: string | null; limit: number },
): Promise<BoxRow[]> => {
  const [first = [], second] = await Promise.all(boxes.map((box) => listParcelsInBox(db, box, page)))
  if (second === undefined) return first
  const byId = new Map<string, BoxRow>()
  for (const row of [...first, ...second]) {
    const seen = byId.get(row.id)
    if (seen === undefined || row.geom === null) byId.set(row.id, row)
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, page.limit)
}

const meetsAny = (geom: string, boxes: Bbox[]): boolean => {
  const parcel = JSON.parse(geom) as MultiPolygon
  return boxes.some((box) => polygonMeetsBox(parcel, box))
}
