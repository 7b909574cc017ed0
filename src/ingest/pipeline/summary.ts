import type { UpsertCounts } from '../../../drizzle/records'
import type { LoadOutcome } from '../../loads/file-load'

/** `read` = inserted + updated + unchanged + rejected + merged, unless the run was stopped. */
export interface IngestSummary extends UpsertCounts {
  read: number
  rejected: number
  /** Parcels that a complete load does not list. */
  retired: number
  /** Rows that were merged into the first row of their parcel. */
  merged: number
  /** Loaded rows that lost their geometry. */
  withoutGeometry: number
  /** Geometries that were repaired. */
  repaired: number
  durationMs: number
  /** True: a signal stopped the load before the end of the file. */
  stopped: boolean
  /** Problems that the operator should check: columns that no row had, values that were left out, rows without a boundary. */
  warnings: string[]
  /** How coordinates were converted, and how accurate that is. How many parcels have only a point. */
  notes: string[]
  /** Only parcels. Null: the file had no record to load. */
  load: LoadOutcome | null
}

export type Counts = Omit<IngestSummary, 'repaired' | 'durationMs' | 'stopped' | 'warnings' | 'notes' | 'load'>
