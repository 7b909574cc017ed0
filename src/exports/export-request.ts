import type { ParcelFilter } from '../../core/parcels/filter'
import type { RowGeometry } from '../parcels/list-parcels'
import type { AreaPlace } from '../parcels/parcels-in-area'
import type { ExportField } from './export-columns'
import type { FormatName } from './formats'

/** Which parcels are exported, and how. */
export interface ExportRequest {
  format: FormatName
  gzip: boolean
  fields: readonly ExportField[]
  geometry: RowGeometry
  filter: ParcelFilter
  /** Null: everywhere. */
  place: AreaPlace | null
}
