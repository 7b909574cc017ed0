import type { MultiPolygon, Position } from 'geojson'
import { union } from 'polyclip-ts'
import { BOUNDARY_BOUNDS, MAX_OWNER_NAMES } from '../../../core/bounds'
import { type Bbox, bboxOf, boxesMeet } from '../../../core/geometry/bbox'
import { type FieldKey, fieldKey, PARCEL_FIELDS, type ParcelFieldName } from '../../../core/parcels/fields'
import type { FileOrigin, ParcelInput } from '../../../drizzle/records'
import { RowFault } from '../rows/source-row'
import { toMultiPolygon } from './geometry'

type SummableKey = { [Key in FieldKey]: ParcelInput[Key] extends number | null | undefined ? Key : never }[FieldKey]

/**
 * Merges rows with one id, in the order of the file. Boundaries are united, owners are listed together, fields in `sums` are added up
 * over the rows that have them, and other fields are from the first row that has a value.
 *
 * @throws RowFault when the result is not a valid parcel
 */
export const mergeParts = (parts: readonly ParcelInput[], sums: readonly ParcelFieldName[]): ParcelInput => {
  const [first] = parts
  if (first === undefined) throw new Error('no parts to merge')
  const merged: Record<string, unknown> = {}
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) if (value != null) merged[key] ??= value
  }
  const keeps = new Set(
    parts.flatMap(({ origin }) => (origin != null && 'keeps' in origin ? (origin.keeps ?? []) : [])),
  )
  for (const name of sums) {
    const key = fieldKey(name) as SummableKey
    // The sum of some of the values would be wrong.
    if (keeps.has(name)) delete merged[key]
    else
      merged[key] = sum(
        parts.map((part) => part[key]),
        name,
      )
  }
  const owners = new Set(
    parts.flatMap(({ ownerName, ownerNamesAll }) => ownerNamesAll ?? (ownerName == null ? [] : [ownerName])),
  )
  if (owners.size > MAX_OWNER_NAMES) {
    throw new RowFault(`the ${parts.length} rows together have ${owners.size} owners, more than ${MAX_OWNER_NAMES}`)
  }
  if (owners.size > 1 || merged.ownerNamesAll !== undefined) merged.ownerNamesAll = [...owners]
  const boundary = unite(parts.flatMap(({ geom }) => geom?.coordinates ?? []))
  const left = [...keeps].filter((name) => merged[fieldKey(name)] == null)
  return {
    ...merged,
    sourceParcelId: first.sourceParcelId,
    origin: { ...placeOf(first), ...(left.length > 0 ? { keeps: left } : {}) },
    ...(boundary === null ? {} : { geom: boundary.geom, bbox: boundary.bbox }),
  }
}

/** The origin without the fields that it keeps. */
const placeOf = ({ origin }: ParcelInput): FileOrigin => {
  if (origin == null || !('line' in origin)) return { line: 0 }
  const { keeps: _, ...place } = origin
  return place
}

/** Null if no row has a value. The order of the rows does not change the sum, and decimal fractions stay short. */
const sum = (values: readonly (number | null | undefined)[], name: ParcelFieldName): number | null => {
  const known = values.filter((value) => value != null).sort((one, other) => one - other)
  if (known.length === 0) return null
  const total = known.reduce((some, value) => some + value, 0)
  if (PARCEL_FIELDS[name].type !== 'money') return Number(total.toPrecision(15))
  if (!Number.isSafeInteger(total)) throw new RowFault(`the sum of ${name} is too large`)
  return total
}

/**
 * Unites polygons. Duplicate polygons count once. Separate polygons stay as they are. The others are united, so that no part of the
 * area is in two polygons. The order of the polygons does not change the result.
 */
const unite = (polygons: readonly Position[][][]): { geom: MultiPolygon; bbox: Bbox } | null => {
  if (polygons.length === 0) return null
  const distinct = [...new Map(polygons.map((polygon) => [JSON.stringify(polygon), polygon])).entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, polygon]) => polygon)
  if (distinct.length > BOUNDARY_BOUNDS.rings)
    throw new RowFault(`its parts together have more than ${BOUNDARY_BOUNDS.rings} polygons`)
  if (countPositions(distinct) > BOUNDARY_BOUNDS.parcelPositions) {
    throw new RowFault(`its parts together have more than ${BOUNDARY_BOUNDS.parcelPositions} positions`)
  }
  const clusters = listClusters(distinct)
  const united = clusters.flatMap((cluster) => (cluster.length === 1 ? cluster : uniteCluster(cluster)))
  return toMultiPolygon({ type: 'MultiPolygon', coordinates: united })
}

const countPositions = (polygons: readonly Position[][][]): number =>
  polygons.reduce((sum, rings) => sum + rings.reduce((count, ring) => count + ring.length, 0), 0)

/**
 * polyclip-ts computes with exact decimals: two rings of 5,000 positions take 0.6 s, and the roads of a city with 46,522 positions take
 * 10 s (November 2026). The load does nothing else during this time.
 */
const MAX_UNITED_POSITIONS = 50_000

const uniteCluster = (polygons: Position[][][]): Position[][][] => {
  const positions = countPositions(polygons)
  if (positions > MAX_UNITED_POSITIONS) {
    throw new RowFault(`its parts that overlap have ${positions} positions, more than ${MAX_UNITED_POSITIONS}`)
  }
  const [first, ...others] = polygons as [number, number][][][]
  return union([first as [number, number][][]], ...others.map((polygon) => [polygon]))
}

/** Groups polygons whose boxes overlap or touch, directly or through others. */
const listClusters = (polygons: readonly Position[][][]): Position[][][][] => {
  const boxes = polygons.map((coordinates) => bboxOf({ type: 'Polygon', coordinates }))
  let clusters: number[][] = []
  for (const [index, box] of boxes.entries()) {
    const isNear = (cluster: number[]) => cluster.some((member) => boxesMeet(boxes[member] as Bbox, box))
    clusters = [...clusters.filter((cluster) => !isNear(cluster)), [...clusters.filter(isNear).flat(), index]]
  }
  return clusters.map((cluster) => cluster.map((index) => polygons[index] as Position[][]))
}
