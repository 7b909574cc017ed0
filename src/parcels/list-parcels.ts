import type { MultiPolygon, Point } from 'geojson'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Bbox } from '../../core/geometry/bbox'
import type { Db } from '../../core/postgres/database'
import { listFormerParcels } from '../../drizzle/queries/changes/list-former-parcels'
import {
  BOUNDARY_SEPARATOR,
  boxesOf,
  type FoundParcels,
  listEncodedParcels,
  listFoundParcels,
  type ParcelList,
  ROW_SEPARATOR,
} from '../../drizzle/queries/parcels/list-parcels'
import { polygonMeetsBox } from './geometry/polygon-meets-box'
import { simplifyBoundary } from './geometry/simplify-boundary'
import { cursorOf } from './parcel-cursor'

/** `simplified`: without corners that are closer than about two meters to the line between their neighbors. */
export const GEOMETRIES = ['full', 'simplified', 'none'] as const
export type RowGeometry = (typeof GEOMETRIES)[number]

/** Which parcels a list has, in which order, and what each row shows. A box selects the parcels whose boundary meets it. */
export interface ParcelsWanted extends Omit<ParcelList, 'withGeometry'> {
  geometry: RowGeometry
}

/** `asOf` (ISO 8601): the lightweight rows of the parcels in a box as they were then. Null: as they are. */
export interface ParcelPageWanted extends ParcelsWanted {
  limit: number
  asOf: string | null
}

export interface ListedParcel {
  /** `id`, `source`, `source_parcel_id` and the chosen fields, as the JSON text of an object. */
  body: string
  /** The boundary (or the point, if that was requested) as GeoJSON text, or the text `null` if it is unknown. Null: no geometry was requested. */
  geom: string | null
}

export interface ParcelPage {
  parcels: ListedParcel[]
  /** The cursor of the next page, as `readCursor` reads it. Null on the last page. */
  next: string | null
}

/**
 * A page of a list. For the few parcels on the edge of the filter's box, the boundary decides. A point is in the box, or beside it. If the
 * boundaries are large, the page is shorter.
 */
export const findParcels = async (db: Db, wanted: ParcelPageWanted): Promise<ParcelPage> => {
  const boxes = boxesOf(wanted.filter)
  // One more than the page. Boundaries rule out rows, so only a real extra row proves that there is a next page.
  const wantedRows = wanted.limit + 1
  const parcels: ListedParcel[] = []
  let last: string | null = null
  for (;;) {
    const limit = wantedRows - parcels.length
    const after = last === null ? wanted.after : cursorOf(wanted.order, last)
    const found = await listFound(db, { ...wanted, after }, limit)
    parcels.push(...(await listMet(found, boxes, wanted.geometry)))
    if (parcels.length === wantedRows) {
      // The extra row is the last one that was found, so the next page begins after the one before it.
      parcels.pop()
      return { parcels, next: found.secondLast ?? last }
    }
    if (found.count < limit && !found.isCut) return { parcels, next: null }
    if (found.isCut && parcels.length > 0) return { parcels, next: found.last }
    last = found.last
  }
}

export type EncodedPageWanted = Omit<ParcelPageWanted, 'geometry' | 'asOf'>

/** A page whose rows are elements of a JSON array in UTF-8: runs of consecutive rows, without a comma between the runs. */
export interface EncodedPage {
  count: number
  runs: readonly Uint8Array[]
  next: string | null
}

/** `findParcels` for rows without geometry. They are the bytes that the database sent: no row is decoded, copied or encoded. */
export const findEncodedParcels = async (db: Db, wanted: EncodedPageWanted): Promise<EncodedPage> => {
  const boxes = boxesOf(wanted.filter)
  const wantedRows = wanted.limit + 1
  const runs: Buffer[] = []
  let count = 0
  let last: string | null = null
  for (;;) {
    const limit = wantedRows - count
    const after = last === null ? wanted.after : cursorOf(wanted.order, last)
    const found = await listEncodedParcels(db, { ...wanted, withGeometry: false, after }, limit)
    const missed = await findMissed(found.edges, null, boxes)
    if (found.rows !== null) runs.push(...dropRows(found.rows, missed))
    count += found.count - missed.size
    if (count === wantedRows) {
      const lastRun = runs.pop() as Buffer
      const end = lastRun.lastIndexOf(SEPARATOR)
      if (end !== -1) runs.push(lastRun.subarray(0, end))
      return { count: wanted.limit, runs, next: found.secondLast ?? last }
    }
    if (found.count < limit && !found.isCut) return { count, runs, next: null }
    if (found.isCut && count > 0) return { count, runs, next: found.last }
    last = found.last
  }
}

/** As bytes, which Bun finds seven times faster than a string. */
const SEPARATOR = Buffer.from(ROW_SEPARATOR)

/** The runs of rows between those at the places `missed`, which ascend. */
const dropRows = (rows: Buffer, missed: ReadonlySet<number>): Buffer[] => {
  const runs: Buffer[] = []
  let [start, row, index] = [0, 0, 0]
  const endOf = (at: number) => {
    const end = rows.indexOf(SEPARATOR, at)
    return end === -1 ? rows.length : end
  }
  for (const place of missed) {
    for (; index < place; index++) row = endOf(row) + SEPARATOR.length
    if (row > start) runs.push(rows.subarray(start, row - SEPARATOR.length))
    start = endOf(row) + SEPARATOR.length
    row = start
    index++
  }
  if (start < rows.length) runs.push(rows.subarray(start))
  return runs
}

const listFound = (db: Db, wanted: ParcelsWanted & { asOf: string | null }, limit: number): Promise<FoundParcels> => {
  if (wanted.asOf === null) return listFoundParcels(db, { ...wanted, withGeometry: wanted.geometry !== 'none' }, limit)
  const { source, lifecycle } = wanted.filter
  const after = wanted.after !== null && 'id' in wanted.after ? wanted.after.id : null
  return listFormerParcels(
    db,
    boxesOf(wanted.filter),
    { source, after, limit, withRetired: lifecycle !== 'listed' },
    wanted.asOf,
  )
}

/** Of boundaries, which take 0.2 ms to compare. */
const MAX_CHARS_A_TURN = 30_000

/** Drops the parcels on the edge whose boundaries do not meet the box. */
const listMet = async (
  { rows, geoms, edges }: FoundParcels,
  boxes: Bbox[],
  geometry: RowGeometry,
): Promise<ListedParcel[]> => {
  if (rows === null) return []
  const texts = geoms?.split(BOUNDARY_SEPARATOR) ?? null
  const missed = await findMissed(edges, texts, boxes)
  const parcels = rows.split(ROW_SEPARATOR).map((body, index) => ({
    body,
    geom: missed.has(index) ? null : showGeometry(texts?.[index] ?? null, geometry),
  }))
  return missed.size === 0 ? parcels : parcels.filter((_, index) => !missed.has(index))
}

/**
 * The places, in ascending order, of rows on the edge whose boundary does not meet the box. `edges` is that of `FoundParcels`, `geoms` has
 * the boundaries of all rows, or is null. Yields in between, because boundaries can be large.
 */
const findMissed = async (
  edges: string | null,
  geoms: readonly string[] | null,
  boxes: Bbox[],
): Promise<ReadonlySet<number>> => {
  const missed = new Set<number>()
  let compared = 0
  for (const [index, edge] of edges?.split(BOUNDARY_SEPARATOR).entries() ?? []) {
    if (edge === '') continue
    const boundary = geoms?.[index] ?? edge
    compared += boundary.length
    if (compared > MAX_CHARS_A_TURN) {
      await yieldToOthers()
      compared = 0
    }
    if (!meetsAny(boundary, boxes)) missed.add(index)
  }
  return missed
}

const meetsAny = (boundary: string, boxes: Bbox[]): boolean => {
  const parcel = JSON.parse(boundary) as MultiPolygon | Point | null
  return parcel?.type === 'MultiPolygon' && boxes.some((box) => polygonMeetsBox(parcel, box))
}

export const showGeometry = (geom: string | null, geometry: RowGeometry): string | null => {
  if (geometry === 'none') return null
  if (geom === null || geom === 'null') return 'null'
  return geometry === 'simplified' ? simplifyBoundary(geom) : geom
}

/** The JSON text of a row with its boundary, if that was requested. */
export const toRowJson = ({ body, geom }: ListedParcel): string =>
  geom === null ? body : `${body.slice(0, -1)},"geom_geojson":${geom}}`
