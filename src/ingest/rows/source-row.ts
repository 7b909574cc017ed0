/** One record of a file, unchanged. `line` is where it begins, from 1; in one FeatureCollection, it is the number of the Feature. */
export interface SourceRow {
  line: number
  properties: Record<string, unknown>
  /** GeoJSON, not yet checked. Undefined for formats without geometry. */
  geometry?: unknown
  /** The coordinate system of this row, if it is not the file's. */
  crs?: unknown
}

/** A place in the file where no record could be read. */
export interface BrokenRow {
  line: number
  reason: string
  /** The file ends within this row, without a line end. */
  isCutOff?: true
}

export type ReadRow = SourceRow | BrokenRow

/** Why a row was not loaded, as text for the rejects file. */
export class RowFault extends Error {}

/** A value cannot be read. If its field is optional, the row is loaded without the value. */
export class ValueFault extends RowFault {}

/**
 * The fault of a row. A stack overflow is one, too: JSON.parse accepts a value of any depth, but whatever follows the value does not, and
 * this must not end the load of all other rows.
 *
 * @throws other errors
 */
export const faultOf = (error: unknown): RowFault => {
  if (error instanceof RowFault) return error
  if (error instanceof RangeError && error.message.includes('call stack'))
    return new RowFault('it has a value that is nested too deeply')
  throw error
}
