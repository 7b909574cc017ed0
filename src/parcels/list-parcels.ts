import type { MultiPolygon } from 'geojson'
import { type Bbox, splitAtAntimeridian } from '../../core/bbox'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Db } from '../../core/postgres/database'
import { listFormerBoxSegments } from '../../drizzle/queries/changes/list-former-box-segments'
import {
  listParcelSegments,
  type ParcelList,
  type ParcelSegment,
  ROW_SEPARATOR,
} from '../../drizzle/queries/parcels/list-parcels'
import { cursorOf } from './parcel-cursor'
import { polygonMeetsBox } from './polygon-meets-box'
import { simplifyBoundary } from './simplify-boundary'

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
  /** The boundary as GeoJSON text, or the text `null` if it is unknown. Null: no geometry was requested. */
  geom: string | null
}

export interface ParcelPage {
  parcels: ListedParcel[]
  /** The cursor of the next page, as `readCursor` reads it. Null on the last page. */
  next: string | null
}

/** A page of a list. For the few parcels on the edge of the filter's box, the boundary decides. */
export const findParcels = async (db: Db, wanted: ParcelPageWanted): Promise<ParcelPage> => {
  const boxes = boxesOf(wanted)
  // One more than the page. Boundaries rule out rows, so only a real extra row proves that there is a next page.
  const wantedRows = wanted.limit + 1
  const found: ParcelSegment[] = []
  let count = 0
  let { after } = wanted
  while (count < wantedRows) {
    const limit = wantedRows - count
    const segments = await listSegments(db, { ...wanted, after }, limit)
    const met = await listMet(segments, boxes)
    found.push(...met)
    count += countRows(met)
    if (countRows(segments) < limit) break
    after = cursorOf(wanted.order, segments.at(-1)?.last ?? '')
  }
  // The last statement requested exactly the missing rows, so the extra row is its last one, in its own segment.
  const hasNext = count === wantedRows
  if (hasNext) found.pop()
  return {
    parcels: found.flatMap((segment) => splitRows(segment, wanted.geometry)),
    next: hasNext ? (found.at(-1)?.last ?? null) : null,
  }
}

const boxesOf = ({ filter: { bbox } }: ParcelsWanted): Bbox[] => (bbox === null ? [] : splitAtAntimeridian(bbox))

const listSegments = (
  db: Db,
  wanted: ParcelsWanted & { asOf: string | null },
  limit: number,
): Promise<ParcelSegment[]> => {
  if (wanted.asOf === null)
    return listParcelSegments(db, { ...wanted, withGeometry: wanted.geometry !== 'none' }, limit)
  const { source, lifecycle } = wanted.filter
  const after = wanted.after !== null && 'id' in wanted.after ? wanted.after.id : null
  return listFormerBoxSegments(
    db,
    boxesOf(wanted),
    { source, after, limit, withRetired: lifecycle !== 'listed' },
    wanted.asOf,
  )
}

const countRows = (segments: readonly ParcelSegment[]): number => segments.reduce((sum, { count }) => sum + count, 0)

/** Drops the parcels on the edge whose boundaries do not meet the box. Yields in between, because boundaries can be large. */
const listMet = async (segments: readonly ParcelSegment[], boxes: Bbox[]): Promise<ParcelSegment[]> => {
  const met: ParcelSegment[] = []
  for (const segment of segments) {
    if (segment.boundary !== null) await yieldToOthers()
    if (segment.boundary === null || meetsAny(segment.boundary, boxes)) met.push(segment)
  }
  return met
}

const meetsAny = (boundary: string, boxes: Bbox[]): boolean => {
  const parcel = JSON.parse(boundary) as MultiPolygon
  return boxes.some((box) => polygonMeetsBox(parcel, box))
}

const splitRows = ({ rows, geoms }: ParcelSegment, geometry: RowGeometry): ListedParcel[] => {
  const texts = geoms?.split(ROW_SEPARATOR)
  return rows
    .split(ROW_SEPARATOR)
    .map((body, index) => ({ body, geom: showGeometry(texts?.[index] ?? null, geometry) }))
}

export const showGeometry = (geom: string | null, geometry: RowGeometry): string | null => {
  if (geometry === 'none') return null
  if (geom === null || geom === 'null') return 'null'
  return geometry === 'simplified' ? simplifyBoundary(geom) : geom
}

/** The JSON text of a row with its boundary, if that was requested. */
export const toRowJson = ({ body, geom }: ListedParcel): string =>
  geom === null ? body : `${body.slice(0, -1)},"geom_geojson":${geom}}`
