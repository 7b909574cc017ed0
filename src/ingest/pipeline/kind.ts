import type { FileOrigin, UpsertCounts } from '../../../drizzle/records'
import type { Coordinates } from '../coordinates/coordinates'
import type { Fields } from '../fields/fields'
import type { SourceRow, ValueFault } from '../rows/source-row'
import type { Counts, IngestSummary } from './summary'

/** The differences between the two kinds of record. */
export interface Kind<Item> {
  fields: Fields
  coordinates: Coordinates
  idOf: (item: Item) => string
  withId: (item: Item, id: string) => Item
  /** Fills the fields of `item`. @throws RowFault; the item has its id if that is valid. The result adds the geometry: see `Shape`. */
  read: (
    row: SourceRow,
    item: Item & Record<string, unknown>,
    origin: FileOrigin,
    onLeftOut: (field: string, fault: ValueFault) => void,
  ) => Shape
  /** Everything in an item except its place in the file, as text. Rows of the same id are numbered in the order of these texts. */
  contentOf: (item: Item) => string
  /** Merges the rows with one id into one item. @throws RowFault */
  merge: (items: Item[]) => Item
  /** The number of positions in the geometry. */
  sizeOf: (item: Item) => number
  /** `cleared`: fields that are emptied if an item has no value. */
  upsert: (items: Item[], cleared: readonly string[]) => Promise<UpsertCounts>
  /** What the operator should know about the rows that were read. */
  warnings: () => string[]
  /** Called for each rejected row that has an id. */
  onRejected: (id: string) => void
  /** Called after the last batch. Returns changes to the summary. */
  finish: (
    summary: Counts,
    end: { isStopped: boolean; reject: (line: number, reason: string, id: string) => void },
  ) => Promise<Pick<IngestSummary, 'load'> & Partial<Counts>>
  /** Called instead of `finish` when the load fails. Returns the id of the load if the records that were written stay. */
  abandon: (reason: string) => Promise<string | null>
}

/** Adds the boundary or the point to an item, and returns its condition. @throws RowFault if it is broken and cannot be repaired */
type Shape = () => 'none' | 'point' | 'whole' | 'repaired'
