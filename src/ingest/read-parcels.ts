import { type ParcelFieldName, parcelFields } from '../../core/parcels/fields'
import { ServiceError } from '../../core/service-error'
import type { ParcelInput } from '../../drizzle/records'
import { BoundaryColumn } from './boundaries/boundary-column'
import { toMultiPolygon } from './boundaries/geometry'
import { mergeParts } from './boundaries/merge-parts'
import { isNowhere, type ParcelPoint, positionOf, toPoint } from './boundaries/point'
import type { Coordinates } from './coordinates/coordinates'
import { compileFieldMap, completeFieldMap } from './fields/compile-map'
import { PARCEL_FIELDS } from './fields/fields'
import type { Kind } from './pipeline/kind'
import type { ReadingOptions } from './reading-options'
import { RowFault } from './rows/source-row'

/** Converts rows to parcels. */
export const readParcels = (
  options: ReadingOptions,
  coordinates: Coordinates,
): Pick<
  Kind<ParcelInput>,
  'fields' | 'coordinates' | 'idOf' | 'withId' | 'read' | 'contentOf' | 'merge' | 'sizeOf' | 'warnings'
> => {
  const isMapped = (field: string) => options.map.some(({ target }) => target === field)
  if (isMapped('lon') !== isMapped('lat')) {
    throw new ServiceError('bad_input', 'the map must have both lon and lat, or neither')
  }
  const readRecord = compileFieldMap(completeFieldMap(options.map, PARCEL_FIELDS), PARCEL_FIELDS)
  const boundaries = new BoundaryColumn(options.boundaryColumn ?? null)
  return {
    fields: PARCEL_FIELDS,
    coordinates,
    warnings: () => (isMapped('lon') ? [] : boundaries.warnings()),
    idOf: (parcel) => parcel.sourceParcelId,
    withId: (parcel, id) => ({ ...parcel, sourceParcelId: id }),
    read: (row, parcel, origin, onLeftOut) => {
      const keeps: ParcelFieldName[] = []
      readRecord(row, parcel, (field, fault) => {
        keeps.push(...withDefaults(field as ParcelFieldName))
        onLeftOut(field, fault)
      })
      const mapped = takePoint(parcel, keeps)
      // If a row is loaded without its broken place, the parcel keeps the stored point.
      parcel.origin = { ...origin, keeps: [...keeps, 'lon', 'lat'] }
      return () => {
        const read = row.geometry === undefined ? boundaries.read(row.properties) : row.geometry
        const own = positionOf(read)
        const area = own === null ? (read ?? null) : null
        // Columns of rows that also have a geometry are in degrees, whatever system the geometry is in.
        const isConverted = own !== null || (row.geometry === undefined && area === null)
        const point = toDegrees(own ?? checkPair(mapped), (position) => {
          if (isConverted) coordinates.toLonLat({ type: 'Point', coordinates: position }, row.crs)
        })
        if (point !== null) Object.assign(parcel, point)
        parcel.origin = keeps.length === 0 ? origin : { ...origin, keeps }
        const geometry = toMultiPolygon(coordinates.toLonLat(area, row.crs))
        if (geometry === null) return point === null ? 'none' : 'point'
        parcel.geom = geometry.geom
        parcel.bbox = geometry.bbox
        return geometry.isRepaired ? 'repaired' : 'whole'
      }
    },
    // Boundaries and addresses change less often than owners.
    contentOf: ({ geom, situsAddress, origin: _, ...fields }) =>
      JSON.stringify([geom ?? null, situsAddress ?? null, fields]),
    merge: (parcels) => mergeParts(parcels, options.sum ?? []),
    sizeOf: (parcel) =>
      parcel.geom?.coordinates.reduce((sum, rings) => sum + rings.reduce((count, ring) => count + ring.length, 0), 0) ??
      0,
  }
}

type Pair = [lon: number | null, lat: number | null]

/**
 * Removes the point that the map reads from the record, because it is not checked yet. If one coordinate cannot be read, both keep
 * their stored values.
 */
const takePoint = (parcel: ParcelInput, keeps: ParcelFieldName[]): Pair => {
  const { lon = null, lat = null } = parcel
  delete parcel.lon
  delete parcel.lat
  if (!keeps.includes('lon') && !keeps.includes('lat')) return [lon, lat]
  keeps.push('lon', 'lat')
  return [null, null]
}

/** Null: neither is known. @throws RowFault if only one is */
const checkPair = ([lon, lat]: Pair): unknown[] | null => {
  if (lon === null && lat === null) return null
  if (lon === null || lat === null) throw new RowFault(`it has ${lon === null ? 'lat without lon' : 'lon without lat'}`)
  return [lon, lat]
}

/** The point at a position of the file, which `convert` changes in place. Null: nowhere. @throws RowFault */
const toDegrees = (position: unknown[] | null, convert: (position: unknown[]) => void): ParcelPoint | null => {
  if (position === null || isNowhere(position)) return null
  const converted = [...position]
  convert(converted)
  return toPoint(converted)
}

/** A field, and the lists that have its value if they have none of their own. */
const withDefaults = (field: ParcelFieldName): ParcelFieldName[] => [
  field,
  ...parcelFields.flatMap((list) => (list.type === 'list' && list.defaultFrom === field ? [list.name] : [])),
]
