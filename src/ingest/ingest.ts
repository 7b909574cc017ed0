import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { upsertEntities } from '../../drizzle/queries/parcels/upsert-entities'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import type { EntityInput, ParcelInput, UpsertCounts } from '../../drizzle/records'
import { columnsOf, compileFieldMap, completeFieldMap, type Mapping } from './field-map'
import { ENTITY_FIELDS, type Fields, PARCEL_FIELDS } from './fields'
import { toMultiPolygon } from './geometry'
import { type Format, readRows } from './read-rows'
import { RejectsFile } from './rejects-file'
import { SeenIds } from './seen-ids'
import { type ReadRow, RowFault, type SourceRow } from './source-row'
import { type Placed, TaskWindow, writeBatch } from './write-batches'

/** Statements in flight: one keeps a database core busy while the next rows are read, the second fills the gaps. */
const WIDTH = 2
const BATCH_ROWS = 1_000
/** Ends a batch of very detailed shapes early, so that memory is limited by bytes and not only by rows. */
const BATCH_POSITIONS = 100_000

export interface IngestOptions {
  file: string
  map: Mapping[]
  format?: Format | null
  encoding?: string
  rejectsFile: string
  /** A second parcel with the same id: rejected, or stored with a numbered id (`id~2`). */
  duplicates?: 'reject' | 'number'
  /** A row with broken geometry: rejected, or loaded without it. Either way it is listed in the rejects file. */
  brokenGeometry?: 'reject' | 'leave-out'
  /** Called with the bytes of the file read so far. */
  onProgress?: (bytes: number) => void
  say?: (line: string) => void
  /** Stops the load after the batches in flight. */
  signal?: AbortSignal
  retryForMs?: number
}

/** `read` = inserted + updated + unchanged + rejected, unless the run was stopped. */
export interface IngestSummary extends UpsertCounts {
  read: number
  rejected: number
  /** Loaded rows that lost their geometry. */
  withoutGeometry: number
  /** Geometries that were repaired. */
  repaired: number
  durationMs: number
  /** True: a signal stopped the load before the end of the file. */
  stopped: boolean
  /** Problems that the operator should check: columns that no row had. */
  warnings: string[]
}

/** Loads a file of parcels into `source`, which must exist. @throws ServiceError `bad_input`, `server_unavailable` */
export const ingestParcels = (sql: Sql, source: string, options: IngestOptions): Promise<IngestSummary> => {
  const readRecord = compileFieldMap(completeFieldMap(options.map, PARCEL_FIELDS), PARCEL_FIELDS)
  return ingest<ParcelInput>(options, {
    fields: PARCEL_FIELDS,
    idOf: (parcel) => parcel.sourceParcelId,
    withId: (parcel, id) => ({ ...parcel, sourceParcelId: id }),
    toItem: (row) => {
      const parcel = readRecord(row) as unknown as ParcelInput
      parcel.origin = { line: row.line }
      const shape = () => {
        const geometry = toMultiPolygon(row.geometry)
        if (geometry === null) return false
        parcel.geom = geometry.geom
        parcel.bbox = geometry.bbox
        return geometry.isRepaired
      }
      return { item: parcel, shape }
    },
    sizeOf: (parcel) =>
      parcel.geom?.coordinates.reduce((sum, rings) => sum + rings.reduce((count, ring) => count + ring.length, 0), 0) ??
      0,
    upsert: (parcels) => upsertParcels(sql, source, parcels, { cause: 'ingest', id: null }),
  })
}

/** Loads a file of a state's registry. Ignores geometry. @throws ServiceError `bad_input`, `server_unavailable` */
export const ingestEntities = (sql: Sql, jurisdiction: string, options: IngestOptions): Promise<IngestSummary> => {
  const readRecord = compileFieldMap(completeFieldMap(options.map, ENTITY_FIELDS), ENTITY_FIELDS)
  return ingest<EntityInput>(options, {
    fields: ENTITY_FIELDS,
    idOf: (entity) => entity.registryNumber,
    withId: (entity, id) => ({ ...entity, registryNumber: id }),
    toItem: (row) => ({ item: readRecord(row) as unknown as EntityInput, shape: () => false }),
    sizeOf: () => 0,
    upsert: (entities) => upsertEntities(sql, jurisdiction, entities),
  })
}

/** The differences between the two kinds of record. */
interface Kind<Item> {
  fields: Fields
  idOf: (item: Item) => string
  withId: (item: Item, id: string) => Item
  /** @throws RowFault. `shape` adds the geometry, returns whether it was repaired, and throws RowFault if it cannot be. */
  toItem: (row: SourceRow) => { item: Item; shape: () => boolean }
  /** The number of positions in the geometry. */
  sizeOf: (item: Item) => number
  upsert: (items: Item[]) => Promise<UpsertCounts>
}

/** read → map → drop duplicates → batch → upsert, with reading and writing in parallel. */
const ingest = async <Item>(options: IngestOptions, kind: Kind<Item>): Promise<IngestSummary> => {
  const startedAt = performance.now()
  const summary = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0, withoutGeometry: 0, repaired: 0 }
  const columns = new ColumnWatch(options.map, kind.fields)
  using rejects = new RejectsFile(options.rejectsFile)
  using seen = new SeenIds()
  const window = new TaskWindow(WIDTH)

  const reject = (line: number, reason: string, id: string) => {
    summary.rejected++
    rejects.add(line, reason, id)
  }
  const write = (batch: Placed<Item>[]) =>
    writeBatch(batch, {
      upsert: kind.upsert,
      onWritten: ({ inserted, updated, unchanged }) => {
        summary.inserted += inserted
        summary.updated += updated
        summary.unchanged += unchanged
      },
      onRefused: ({ line, item }, reason) => reject(line, reason, kind.idOf(item)),
      onWaiting: options.say ?? (() => {}),
      retryForMs: options.retryForMs ?? 60_000,
    })

  /** The record of a row, or null when the row was rejected. */
  const accept = (row: ReadRow): Item | null => {
    if ('reason' in row) {
      reject(row.line, row.reason, '')
      return null
    }
    columns.see(row.properties)
    let id = ''
    try {
      const { item, shape } = kind.toItem(row)
      id = kind.idOf(item)
      try {
        if (shape()) summary.repaired++
      } catch (error) {
        if (!(error instanceof RowFault) || options.brokenGeometry !== 'leave-out') throw error
        summary.withoutGeometry++
        rejects.add(row.line, `loaded without its geometry: ${error.message}`, id)
      }
      const before = seen.claim(id, row.line)
      if (before === null) return item
      if (options.duplicates !== 'number') throw new RowFault(`duplicate of line ${before}`)
      return kind.withId(item, seen.claimNumbered(id, row.line))
    } catch (error) {
      if (!(error instanceof RowFault)) throw error
      reject(row.line, error.message, id)
      return null
    }
  }

  let batch: Placed<Item>[] = []
  let batchSize = 0
  try {
    for await (const rows of readRows(options.file, {
      format: options.format ?? null,
      ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
      onHeader: (header) => columns.checkHeader(header),
      ...(options.onProgress === undefined ? {} : { onBytes: options.onProgress }),
    })) {
      if (options.signal?.aborted) break
      for (const row of rows) {
        summary.read++
        const item = accept(row)
        if (item === null) continue
        batch.push({ line: row.line, item })
        batchSize += kind.sizeOf(item)
        if (batch.length < BATCH_ROWS && batchSize < BATCH_POSITIONS) continue
        const full = batch
        batch = []
        batchSize = 0
        await window.add(() => write(full))
      }
    }
    if (batch.length > 0) await window.add(() => write(batch))
    await window.drain()
  } catch (error) {
    // Write what was read before throwing: the message says that it is loaded.
    if (error instanceof ServiceError && error.code === 'bad_input' && batch.length > 0)
      await window.add(() => write(batch))
    await window.settle()
    throw error
  }
  return {
    ...summary,
    durationMs: performance.now() - startedAt,
    stopped: options.signal?.aborted ?? false,
    warnings: summary.read === 0 ? ['the file has no rows'] : columns.warnings(),
  }
}

/** Finds columns that the map uses and the file does not have. */
class ColumnWatch {
  readonly #missing: Set<string>

  constructor(
    map: readonly Mapping[],
    readonly fields: Fields,
  ) {
    this.#missing = new Set(map.flatMap(({ expression }) => columnsOf(expression)))
    for (const [target, { type }] of Object.entries(fields)) {
      if ((type === 'id' || type === 'name') && !map.some((mapping) => mapping.target === target))
        this.#missing.add(target)
    }
  }

  /** A CSV's header lists all its columns. */
  checkHeader(header: string[]): void {
    const missing = [...this.#missing].filter((column) => !header.includes(column))
    if (missing.length === 0) return
    throw new ServiceError(
      'bad_input',
      `the file has no column ${missing.join(', ')}: it has ${header.join(', ')}; set the right ones with --map FIELD=COLUMN`,
    )
  }

  see(properties: Record<string, unknown>): void {
    for (const column of this.#missing) if (column in properties) this.#missing.delete(column)
  }

  warnings(): string[] {
    return [...this.#missing].map((column) => `no row has "${column}": is the field map right?`)
  }
}
