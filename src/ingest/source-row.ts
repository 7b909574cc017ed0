/** One record of a file, as the file has it. `line` is where it begins, from 1. */
export interface SourceRow {
  line: number
  properties: Record<string, unknown>
  /** GeoJSON, not yet checked. Undefined where the format has none. */
  geometry?: unknown
}

/** A place in the file that no record could be read from. */
export interface BrokenRow {
  line: number
  reason: string
}

export type ReadRow = SourceRow | BrokenRow

/** Why one row is not loaded, in words for the rejects file. */
export class RowFault extends Error {}
