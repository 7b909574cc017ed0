import { type ParcelFieldName, parcelFields } from '../../core/parcel-fields'
import type { ParcelInput } from '../../drizzle/records'
import { BoundaryColumn } from './boundaries/boundary-column'
import { toMultiPolygon } from './boundaries/geometry'
import { mergeParts } from './boundaries/merge-parts'
import type { Coordinates } from './coordinates/coordinates'
import { compileFieldMap, completeFieldMap } from './fields/field-map'
import { PARCEL_FIELDS } from './fields/fields'
import type { Kind, ReadingOptions } from './pipeline'

/** How rows become parcels. */
export const readParcels = (
  options: ReadingOptions,
  coordinates: Coordinates,
): Pick<
  Kind<ParcelInput>,
  'fields' | 'coordinates' | 'idOf' | 'withId' | 'read' | 'contentOf' | 'merge' | 'sizeOf' | 'warnings'
> => {
  const readRecord = compileFieldMap(completeFieldMap(options.map, PARCEL_FIELDS), PARCEL_FIELDS)
  const boundaries = new BoundaryColumn(options.boundaryColumn ?? null)
  return {
    fields: PARCEL_FIELDS,
    coordinates,
    warnings: () => boundaries.warnings(),
    idOf: (parcel) => parcel.sourceParcelId,
    withId: (parcel, id) => ({ ...parcel, sourceParcelId: id }),
    read: (row, parcel, onLeftOut) => {
      const keeps: ParcelFieldName[] = []
      readRecord(row, parcel, (field, fault) => {
        keeps.push(...withDefaults(field as ParcelFieldName))
        onLeftOut(field, fault)
      })
      parcel.origin = keeps.length === 0 ? { line: row.line } : { line: row.line, keeps }
      return () => {
        const read = row.geometry === undefined ? boundaries.read(row.properties) : row.geometry
        const geometry = toMultiPolygon(coordinates.toLonLat(read, row.crs))
        if (geometry === null) return 'none'
        parcel.geom = geometry.geom
        parcel.bbox = geometry.bbox
        return geometry.isRepaired ? 'repaired' : 'whole'
      }
    },
    // A boundary and an address change more seldom than an owner.
    contentOf: ({ geom, situsAddress, origin: _, ...fields }) =>
      JSON.stringify([geom ?? null, situsAddress ?? null, fields]),
    merge: (parcels) => mergeParts(parcels, options.sum ?? []),
    sizeOf: (parcel) =>
      parcel.geom?.coordinates.reduce((sum, rings) => sum + rings.reduce((count, ring) => count + ring.length, 0), 0) ??
      0,
  }
}

/** A field, and the lists that have its value if they have none of their own. */
const withDefaults = (field: ParcelFieldName): ParcelFieldName[] => [
  field,
  ...parcelFields.flatMap((list) => (list.type === 'list' && list.defaultFrom === field ? [list.name] : [])),
]
