import { ColumnWatch } from '../fields/column-watch'
import { compileFieldMap, completeFieldMap } from '../fields/compile-map'
import type { Mapping } from '../fields/expression'
import { LeftOutValues } from '../fields/left-out-values'
import type { ReadingOptions } from '../reading-options'
import type { Places } from '../rows/places'
import { type ReadOptions, readRows } from '../rows/read-rows'
import { RepeatedRows } from '../rows/repeated-rows'
import { SeenIds } from '../rows/seen-ids'
import { settleRepeated } from '../rows/settle-repeated'
import { faultOf, type ReadRow, RowFault, type SourceRow } from '../rows/source-row'
import type { Placed } from '../writing/batches'
import type { Kind } from './kind'
import type { RejectedRows } from './rejected-rows'

/** Reads the rows of files and turns them into records. Rows with the same id are rejected, numbered or merged. */
export class RecordReader<Item> {
  /** Rows so far. */
  read = 0
  /** Rows that were merged into the first row of their parcel. */
  merged = 0
  /** Records that lost their broken geometry. */
  withoutGeometry = 0
  /** Records by the condition of their geometry. */
  readonly shapes = { none: 0, point: 0, whole: 0, repaired: 0 }
  readonly columns: ColumnWatch
  readonly #map: readonly Mapping[]
  readonly #leftOut = new LeftOutValues()
  readonly #duplicates: NonNullable<ReadingOptions['duplicates']>
  readonly #seen: SeenIds
  /** Rows that wait for the other rows of their id. */
  readonly #repeated: RepeatedRows<Item>

  constructor(
    readonly options: ReadingOptions & { maxRows?: number },
    readonly kind: Kind<Item>,
    readonly places: Places,
    readonly rejected: RejectedRows,
  ) {
    this.#map = completeFieldMap(options.map, kind.fields)
    this.columns = new ColumnWatch(
      this.#map,
      { map: options.map, boundary: options.boundaryColumn ?? null },
      kind.fields,
    )
    this.#duplicates = options.duplicates ?? 'reject'
    this.#seen = new SeenIds()
    this.#repeated = new RepeatedRows<Item>()
  }

  /** Reads only the ids of the files, to know which ones are repeated. Not needed if repeated rows are rejected. */
  async countIds(): Promise<void> {
    if (this.#duplicates === 'reject') return
    const { file, signal, maxRows = Number.POSITIVE_INFINITY } = this.options
    const { fields, idOf } = this.kind
    const readId = compileFieldMap(
      this.#map.filter(({ target }) => fields[target]?.type === 'id'),
      fields,
    )
    let read = 0
    for await (const rows of readRows(file, this.#readOptions())) {
      if (signal?.aborted || read >= maxRows) return
      for (const row of rows) {
        if (read++ >= maxRows) return
        if ('reason' in row) continue
        try {
          this.#seen.count(idOf(readId(row) as Item), row.line)
        } catch (error) {
          // The row is rejected when it is read again.
          faultOf(error)
        }
      }
    }
  }

  /** The rows of the files, in groups. @throws ServiceError `bad_input` */
  rows(): AsyncGenerator<ReadRow[]> {
    const { file, onProgress } = this.options
    return readRows(file, { ...this.#readOptions(), ...(onProgress === undefined ? {} : { onBytes: onProgress }) })
  }

  /** The record of a row. Null: the row was rejected, or waits until the files are read to the end, because its id is repeated. */
  accept(row: ReadRow): Item | null {
    this.read++
    const { line } = row
    if ('reason' in row) {
      this.rejected.add(line, row.reason, '')
      return null
    }
    this.columns.see(row.properties, () => this.places.describe(line))
    const item = {} as Item & Record<string, unknown>
    try {
      this.#fill(item, row)
      return this.#isReady(item, line) ? item : null
    } catch (error) {
      this.rejected.add(line, faultOf(error).message, this.kind.idOf(item) ?? '')
      return null
    }
  }

  /** @throws RowFault */
  #fill(item: Item & Record<string, unknown>, row: SourceRow): void {
    const { kind, places } = this
    const addGeometry = kind.read(row, item, places.originOf(row.line), (field, fault) =>
      this.#leftOut.add(field, places.describe(row.line), fault.message),
    )
    try {
      this.shapes[addGeometry()]++
    } catch (error) {
      if (this.options.brokenGeometry !== 'leave-out') throw error
      const fault = faultOf(error)
      this.withoutGeometry++
      this.rejected.note(row.line, `loaded without its geometry: ${fault.message}`, kind.idOf(item))
    }
  }

  /** Whether a record can be written now. False: it waits for the other rows of its id. @throws RowFault for a duplicate to reject */
  #isReady(item: Item, line: number): boolean {
    const id = this.kind.idOf(item)
    if (this.#duplicates === 'reject') {
      const before = this.#seen.claim(id, line)
      if (before !== null) throw new RowFault(`duplicate of ${this.places.describe(before)}`)
      return true
    }
    if (!this.#seen.isRepeated(id)) return true
    this.#repeated.add(id, line, item, this.#duplicates === 'number' ? this.kind.contentOf(item) : '')
    return false
  }

  /** The records of the rows that waited for the others of their id. */
  *settleRepeated(): Generator<Placed<Item>> {
    if (this.#duplicates === 'reject') return
    const { withId, merge } = this.kind
    yield* settleRepeated<Item>(this.#duplicates, {
      repeated: this.#repeated,
      seen: this.#seen,
      withId,
      merge,
      reject: (line, reason, id) => this.rejected.add(line, reason, id),
      onMerged: (rows) => {
        this.merged += rows
      },
    })
  }

  #readOptions(): ReadOptions {
    const { format = null, encoding = null, layer = null } = this.options
    return {
      format,
      encoding,
      layer,
      coordinates: this.kind.coordinates,
      onHeader: (header) => this.columns.checkHeader(header),
      onFile: (file) => this.places.begin(file),
    }
  }

  notes(): string[] {
    const { point } = this.shapes
    return [...this.kind.coordinates.notes(), ...(point > 0 ? [`parcels with a point and no boundary: ${point}`] : [])]
  }

  warnings(): string[] {
    if (this.read === 0) return ['the file has no rows']
    const { none, whole, repaired } = this.shapes
    const unshaped = whole + repaired > 0 ? none : 0
    return [
      ...this.columns.warnings(),
      ...this.#leftOut.warnings(),
      ...this.kind.warnings(),
      ...(unshaped > 0 ? [`rows without a boundary: ${unshaped}; a stored boundary stays`] : []),
    ]
  }

  [Symbol.dispose](): void {
    this.#repeated[Symbol.dispose]()
    this.#seen[Symbol.dispose]()
  }
}
