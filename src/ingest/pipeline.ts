import { toMessage } from '../../core/bounds'
import { ServiceError } from '../../core/service-error'
import { countNoun, formatCount } from '../../core/text/count-noun'
import type { FileOrigin, UpsertCounts } from '../../drizzle/records'
import type { LoadOutcome } from '../loads/file-load'
import type { Coordinates } from './coordinates/coordinates'
import { ColumnWatch } from './fields/column-watch'
import { compileFieldMap, completeFieldMap, type Mapping } from './fields/field-map'
import type { Fields } from './fields/fields'
import { LeftOutValues } from './fields/left-out-values'
import type { ReadingOptions } from './reading-options'
import { Places } from './rows/places'
import { type ReadOptions, readRows } from './rows/read-rows'
import type { Rejects } from './rows/rejects-file'
import { RepeatedRows } from './rows/repeated-rows'
import { SeenIds } from './rows/seen-ids'
import { settleRepeated } from './rows/settle-repeated'
import { faultOf, type ReadRow, RowFault, type SourceRow, type ValueFault } from './rows/source-row'
import { UnreadableFile } from './rows/unreadable-file'
import { Batches, writeBatch } from './write-batches'

export interface PipelineOptions extends ReadingOptions {
  rejects: Rejects
  say?: (line: string) => void
  retryForMs?: number
  /** Called once, before the first record is written. */
  beforeWriting?: () => Promise<void>
  /** If true, a damaged file is not loaded in part. */
  isComplete?: boolean
  /** Reads only the first rows. */
  maxRows?: number
}

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

export const retryOf = ({ say, retryForMs = 60_000 }: Pick<PipelineOptions, 'say' | 'retryForMs'>) => ({
  onWaiting: say ?? (() => {}),
  retryForMs,
})

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

type Counts = Omit<IngestSummary, 'repaired' | 'durationMs' | 'stopped' | 'warnings' | 'notes' | 'load'>

/** Adds the boundary or the point to an item, and returns its condition. @throws RowFault if it is broken and cannot be repaired */
type Shape = () => 'none' | 'point' | 'whole' | 'repaired'

/** read → map → drop, number or merge duplicates → batch → upsert, with reading and writing in parallel. */
export const runPipeline = async <Item>(options: PipelineOptions, kind: Kind<Item>): Promise<IngestSummary> => {
  const startedAt = performance.now()
  const summary: Counts = {
    ...{ read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0, retired: 0, merged: 0, withoutGeometry: 0 },
  }
  const map = completeFieldMap(options.map, kind.fields)
  const columns = new ColumnWatch(map, { map: options.map, boundary: options.boundaryColumn ?? null }, kind.fields)
  const leftOut = new LeftOutValues()
  const duplicates = options.duplicates ?? 'reject'
  const { rejects, maxRows = Number.POSITIVE_INFINITY } = options
  using seen = new SeenIds()
  using repeated = new RepeatedRows<Item>()
  const shapes = { none: 0, point: 0, whole: 0, repaired: 0 }
  const places = new Places([options.file].flat().length > 1)
  const placeOf = (line: number): string => places.describe(line)
  /** Adds a row to the rejects file: a line by its number, a Feature as `feature 7`. */
  const report = (line: number, reason: string, id: string) => rejects.add(places.cell(line), toMessage(reason), id)
  const reject = (line: number, reason: string, id: string) => {
    summary.rejected++
    report(line, reason, id)
    if (id !== '') kind.onRejected(id)
  }
  const prepare = once(options.beforeWriting ?? (async () => {}))
  let cleared: string[] | null = null
  const batches = new Batches<Item>(kind.sizeOf, (batch) => {
    cleared ??= columns.decideCleared()
    const fields = cleared
    return writeBatch(batch, {
      upsert: async (items) => {
        await prepare()
        return await kind.upsert(items, fields)
      },
      onWritten: ({ inserted, updated, unchanged }) => {
        summary.inserted += inserted
        summary.updated += updated
        summary.unchanged += unchanged
      },
      onRefused: ({ line, item }, reason) => reject(line, reason, kind.idOf(item)),
      ...retryOf(options),
    })
  })

  /** The record of a row. Null: it was rejected, or it waits in `repeated` for the other rows of its id. */
  const accept = (row: ReadRow): Item | null => {
    if ('reason' in row) {
      reject(row.line, row.reason, '')
      return null
    }
    columns.see(row.properties, () => placeOf(row.line))
    const item = {} as Item & Record<string, unknown>
    try {
      const shape = kind.read(row, item, places.originOf(row.line), (field, fault) =>
        leftOut.add(field, placeOf(row.line), fault.message),
      )
      const id = kind.idOf(item)
      try {
        shapes[shape()]++
      } catch (error) {
        if (options.brokenGeometry !== 'leave-out') throw error
        const fault = faultOf(error)
        summary.withoutGeometry++
        report(row.line, `loaded without its geometry: ${fault.message}`, id)
      }
      if (duplicates === 'reject') {
        const before = seen.claim(id, row.line)
        if (before !== null) throw new RowFault(`duplicate of ${placeOf(before)}`)
        return item
      }
      if (!seen.isRepeated(id)) return item
      repeated.add(id, row.line, item, duplicates === 'number' ? kind.contentOf(item) : '')
      return null
    } catch (error) {
      reject(row.line, faultOf(error).message, kind.idOf(item) ?? '')
      return null
    }
  }

  const reading: ReadOptions = {
    format: options.format ?? null,
    encoding: options.encoding ?? null,
    layer: options.layer ?? null,
    coordinates: kind.coordinates,
    onHeader: (header) => columns.checkHeader(header),
    onFile: (file) => places.begin(file),
  }
  try {
    if (duplicates !== 'reject') await countIds(options, reading, map, kind, seen)
    for await (const rows of readRows(options.file, {
      ...reading,
      ...(options.onProgress === undefined ? {} : { onBytes: options.onProgress }),
    })) {
      if (options.signal?.aborted || summary.read >= maxRows) break
      for (const row of rows) {
        if (summary.read >= maxRows) break
        summary.read++
        const item = accept(row)
        if (item !== null && batches.add({ line: row.line, item })) await batches.flush()
      }
    }
    if (duplicates !== 'reject' && !options.signal?.aborted) {
      const onMerged = (rows: number) => {
        summary.merged += rows
      }
      const settled = settleRepeated(duplicates, { repeated, seen, reject, onMerged, ...kind })
      for (const placed of settled) if (batches.add(placed)) await batches.flush()
    }
    await batches.end()
  } catch (error) {
    const isDamaged = error instanceof ServiceError && error.code === 'bad_input' && !(error instanceof UnreadableFile)
    if (!isDamaged || options.isComplete === true || summary.read === 0) {
      await batches.settle()
      throw describeAbandoned(error, summary.inserted, await kind.abandon(toMessage(String(error))))
    }
    // The rows before the damage are loaded.
    await batches.end()
    throw describeDamaged(error, { ...summary, ...(await kind.finish(summary, { isStopped: false, reject })) })
  }
  const isStopped = (options.signal?.aborted ?? false) || summary.read >= maxRows
  const end = await kind.finish(summary, { isStopped, reject })
  const unshaped = shapes.whole + shapes.repaired > 0 ? shapes.none : 0
  return {
    ...summary,
    ...end,
    rejected: summary.rejected,
    repaired: shapes.repaired,
    durationMs: performance.now() - startedAt,
    stopped: isStopped,
    notes: [
      ...kind.coordinates.notes(),
      ...(shapes.point > 0 ? [`parcels with a point and no boundary: ${shapes.point}`] : []),
    ],
    warnings:
      summary.read === 0
        ? ['the file has no rows']
        : [
            ...columns.warnings(),
            ...leftOut.warnings(),
            ...kind.warnings(),
            ...(unshaped > 0 ? [`rows without a boundary: ${unshaped}; a stored boundary stays`] : []),
          ],
  }
}

/** Reads only the ids of a file, to know which ones are repeated. */
const countIds = async <Item>(
  { file, signal, maxRows = Number.POSITIVE_INFINITY }: PipelineOptions,
  reading: ReadOptions,
  map: readonly Mapping[],
  { fields, idOf }: Kind<Item>,
  seen: SeenIds,
): Promise<void> => {
  const readId = compileFieldMap(
    map.filter(({ target }) => fields[target]?.type === 'id'),
    fields,
  )
  let read = 0
  for await (const rows of readRows(file, reading)) {
    if (signal?.aborted || read >= maxRows) return
    for (const row of rows) {
      if (read++ >= maxRows) return
      if ('reason' in row) continue
      try {
        seen.count(idOf(readId(row) as Item), row.line)
      } catch (error) {
        // The row is rejected when it is read again.
        faultOf(error)
      }
    }
  }
}

/** The error of a load that failed. `stays`: the load whose records stay, because they were written directly. */
const describeAbandoned = (error: unknown, inserted: number, stays: string | null): unknown => {
  // The last batches may be stored although their responses were lost.
  const isLost = error instanceof ServiceError && error.code === 'server_unavailable'
  if (stays === null || (inserted === 0 && !isLost)) return error
  const atLeast = `${isLost ? 'at least ' : ''}${countNoun(inserted, 'parcel is', 'parcels are')} stored`
  return addToMessage(
    error,
    `The source had no parcels, so the rows before were written directly, and ${inserted === 0 ? 'some may be stored' : atLeast}. Load the whole file to complete them, or take them back: bun run loads undo ${stays}`,
  )
}

/** The error of a file that is damaged, and loaded up to the damage. */
const describeDamaged = (error: unknown, { read, inserted, updated, unchanged, rejected }: Counts): unknown =>
  addToMessage(
    error,
    `The file is loaded up to there: ${countNoun(read, 'row')}, ${formatCount(inserted)} inserted, ${formatCount(updated)} updated, ${formatCount(unchanged)} unchanged, ${formatCount(rejected)} rejected. Load the whole file to complete it`,
  )

/** The same error with another sentence added to its message. The original error is the cause. */
const addToMessage = (error: unknown, sentence: string): unknown =>
  error instanceof ServiceError
    ? new ServiceError(error.code, `${error.message}. ${sentence}`, { cause: error })
    : error

/** Runs `task` once, however often it is called, and again only if it failed. */
const once = (task: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | null = null
  return () => {
    running ??= task().catch((error) => {
      running = null
      throw error
    })
    return running
  }
}
