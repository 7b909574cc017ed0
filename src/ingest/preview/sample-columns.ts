import type { Coordinates } from '../coordinates/coordinates'
import type { SampledColumn } from '../fields/guess-map'
import { type ReadOptions, readRows } from '../rows/read-rows'
import { faultOf } from '../rows/source-row'
import { isDamage } from '../rows/unreadable-file'

/** How many rows are read to find the columns. */
const MAX_SAMPLED_ROWS = 1_000
/** A file with more columns is not a table of parcels, and a longer name is not a column's. To compare long names would take minutes. */
const MAX_COLUMNS = 2_000
const MAX_NAME_CHARACTERS = 1_000

export interface Sample {
  format: string
  columns: SampledColumn[]
  /** Whether rows have a geometry that is not in a column. */
  hasGeometry: boolean
}

/** The columns of a file, with the values of its first rows. @throws ServiceError `bad_input` */
export const sampleColumns = async (
  file: string | readonly string[],
  options: ReadOptions & { coordinates: Coordinates },
): Promise<Sample> => {
  const values = new Map<string, unknown[]>()
  let rows = 0
  let format = ''
  let hasGeometry = false
  const reading: ReadOptions = {
    ...options,
    onFile: (opened) => {
      format ||= opened.format
    },
    onHeader: (header) => {
      for (const name of header) addColumn(values, name)
    },
  }
  try {
    sampling: for await (const group of readRows(file, reading)) {
      for (const row of group) {
        if (rows >= MAX_SAMPLED_ROWS) break sampling
        if ('reason' in row) continue
        rows++
        hasGeometry ||= row.geometry != null
        for (const [name, value] of Object.entries(row.properties))
          if (!isEmpty(value)) addColumn(values, name)?.push(toSample(value))
      }
    }
  } catch (error) {
    // Damage after the first rows is reported by the check of the rows.
    if (!isDamage(error) || rows === 0) throw error
  }
  return { format, hasGeometry, columns: [...values].map(([name, found]) => ({ name, values: found, rows })) }
}

const addColumn = (values: Map<string, unknown[]>, name: string): unknown[] | undefined => {
  const known = values.get(name)
  if (known !== undefined || values.size >= MAX_COLUMNS || name.length > MAX_NAME_CHARACTERS) return known
  const added: unknown[] = []
  values.set(name, added)
  return added
}

/** Nested values as text, because a value of any depth, or with a member `toString`, cannot be converted to text later. */
const toSample = (value: unknown): unknown => {
  const isPlain = typeof value !== 'object' || (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
  if (isPlain) return value
  try {
    return JSON.stringify(value)
  } catch (error) {
    return faultOf(error).message
  }
}

const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined) return true
  return typeof value === 'object' ? Array.isArray(value) && value.length === 0 : String(value).trim() === ''
}
