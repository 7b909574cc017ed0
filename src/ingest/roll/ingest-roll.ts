import { MAX_ACCOUNTS } from '../../../core/parcel-accounts'
import type { LoadedColumn, ParcelFieldName } from '../../../core/parcel-fields'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { listParcelIds } from '../../../drizzle/queries/parcels/list-parcel-ids'
import type { ParcelInput } from '../../../drizzle/records'
import type { LoadOutcome } from '../../loads/file-load'
import { Coordinates } from '../coordinates/coordinates'
import { ColumnWatch } from '../fields/column-watch'
import { compileFieldMap, completeFieldMap } from '../fields/field-map'
import { LeftOutValues } from '../fields/left-out-values'
import { createFileLoad, type IngestOptions } from '../ingest'
import { WIDTH } from '../pipeline'
import { Places } from '../rows/places'
import { readRows } from '../rows/read-rows'
import { ListFile, RejectsFile } from '../rows/rejects-file'
import { RowFault } from '../rows/source-row'
import { type Placed, TaskWindow, whileAvailable, writeBatch } from '../write-batches'
import { ROLL_FIELDS, type RollRow, toAccount } from './roll-fields'
import { RollRows } from './roll-rows'
import { SUMMARIZED_FIELDS, summarizeAccounts } from './summarize-accounts'

export interface RollOptions
  extends Omit<
    IngestOptions,
    'duplicates' | 'sum' | 'brokenGeometry' | 'boundaryColumn' | 'crs' | 'beforeWriting' | 'rejectsFile' | 'rejects'
  > {
  /** Rows that are not loaded, and those whose parcel the source does not have. */
  rejectsFile: string
  /** Parcels that the roll does not have are written to this file. */
  parcelsWithoutRowFile: string
  /** The roll has all accounts of the source: parcels without a row lose the accounts of an earlier roll. */
  isComplete?: boolean
}

/** `read` = accounts + rejected + withoutParcel, unless the run was stopped. */
export interface RollSummary {
  read: number
  /** Rows that are accounts of a parcel. */
  accounts: number
  /** Parcels with at least one account. */
  parcels: number
  updated: number
  unchanged: number
  rejected: number
  /** Rows whose parcel the source does not have. */
  withoutParcel: number
  /** Parcels that no row of the roll is for. */
  withoutRow: number
  /** Parcels that lost the accounts of an earlier roll. */
  emptied: number
  durationMs: number
  stopped: boolean
  warnings: string[]
  load: LoadOutcome | null
}

const PAGE_PARCELS = 10_000
const BATCH_PARCELS = 500
const BATCH_ACCOUNTS = 5_000

/**
 * Loads rows of an assessor's roll as accounts of the parcels that the source has already. The map says with `source_parcel_id` which
 * parcel a row is for. A load is compared, held and undone like any other.
 *
 * @throws ServiceError `bad_input`, `server_unavailable`
 */
export const ingestRoll = async (sql: Sql, source: string, options: RollOptions): Promise<RollSummary> => {
  const startedAt = performance.now()
  const { say = () => {}, retryForMs = 60_000, signal } = options
  const retry = { onWaiting: say, retryForMs }
  const map = completeFieldMap(options.map, ROLL_FIELDS)
  const readRecord = compileFieldMap(map, ROLL_FIELDS)
  const columns = new ColumnWatch(map, { map: options.map, boundary: null }, ROLL_FIELDS)
  const leftOut = new LeftOutValues()
  const places = new Places([options.file].flat().length > 1)
  const summary = {
    ...{ read: 0, accounts: 0, parcels: 0, updated: 0, unchanged: 0, rejected: 0 },
    ...{ withoutParcel: 0, withoutRow: 0, emptied: 0 },
  }
  using rejects = new RejectsFile(options.rejectsFile)
  using rows = new RollRows()

  await whileAvailable(() => listParcels(sql, source, rows), retry)

  const accept = ({ line, properties }: { line: number; properties: Record<string, unknown> }): void => {
    columns.see(properties, () => places.describe(line))
    const row = {} as RollRow & Record<string, unknown>
    try {
      readRecord({ line, properties }, row, (field, fault) => leftOut.add(field, places.describe(line), fault.message))
      const { sourceParcelId: id } = row
      const count = rows.countRows(id)
      if (count === null) {
        summary.withoutParcel++
        rejects.add(places.cell(line), `${source} has no parcel with this id`, id)
        return
      }
      if (count >= MAX_ACCOUNTS) throw new RowFault(`the parcel has more than ${MAX_ACCOUNTS} accounts`)
      const account = toAccount(row)
      const before = rows.findAccount(id, account.account_id)
      if (before !== null) {
        throw new RowFault(`the account ${account.account_id} of this parcel is also on ${places.describe(before)}`)
      }
      rows.add(id, line, account)
      summary.accounts++
    } catch (error) {
      if (!(error instanceof RowFault)) throw error
      summary.rejected++
      rejects.add(places.cell(line), error.message, row.sourceParcelId ?? '')
    }
  }

  let lastLine = 0
  // A roll has no coordinates, so its file need not say in which system they are.
  const coordinates = new Coordinates('EPSG:4326')
  for await (const group of readRows(options.file, {
    ...{
      format: options.format ?? null,
      encoding: options.encoding ?? null,
      layer: options.layer ?? null,
      coordinates,
    },
    onHeader: (header) => columns.checkHeader(header),
    onFile: (file) => places.begin(file),
    ...(options.onProgress === undefined ? {} : { onBytes: options.onProgress }),
  })) {
    if (signal?.aborted) break
    for (const row of group) {
      summary.read++
      lastLine = row.line
      if (!('reason' in row)) accept(row)
      else {
        summary.rejected++
        rejects.add(places.cell(row.line), row.reason, '')
      }
    }
  }
  const result = (load: LoadOutcome | null, isStopped: boolean): RollSummary => ({
    ...summary,
    durationMs: performance.now() - startedAt,
    stopped: isStopped,
    warnings: [...columns.warnings(), ...leftOut.warnings()],
    load,
  })
  if (signal?.aborted) return result(null, true)
  {
    using missing = new ListFile(options.parcelsWithoutRowFile, 'source_parcel_id\n')
    for (const id of rows.parcelsWithoutRow()) {
      summary.withoutRow++
      missing.add(id)
    }
  }
  if (summary.accounts === 0 && options.isComplete === true) {
    throw new ServiceError('bad_input', `no row of the roll is for a parcel of ${source}: is --join right?`)
  }

  const cleared = columns.decideCleared() as LoadedColumn[]
  const summarized: ParcelFieldName[] = SUMMARIZED_FIELDS.filter((name) => cleared.includes(name))
  const load = createFileLoad(sql, source, { ...options, isComplete: false })
  const window = new TaskWindow(WIDTH)
  let batch: Placed<ParcelInput>[] = []
  let batchAccounts = 0
  const flush = async () => {
    const full = batch
    batch = []
    batchAccounts = 0
    if (full.length === 0) return
    await window.add(() =>
      writeBatch(full, {
        upsert: (items) => load.write(items, ['accounts', ...summarized]),
        onWritten: ({ updated, unchanged }) => {
          summary.updated += updated
          summary.unchanged += unchanged
        },
        onRefused: ({ line, item }, reason) => {
          summary.rejected++
          rejects.add(places.cell(line), reason, item.sourceParcelId)
        },
        ...retry,
      }),
    )
  }
  const add = async (line: number, item: ParcelInput): Promise<void> => {
    batch.push({ line, item })
    batchAccounts += item.accounts?.length ?? 0
    if (batch.length >= BATCH_PARCELS || batchAccounts >= BATCH_ACCOUNTS) await flush()
  }
  try {
    for (const { id, line, accounts } of rows.parcels()) {
      if (signal?.aborted) break
      summary.parcels++
      const { fields, keeps } = summarizeAccounts(accounts)
      await add(line, {
        sourceParcelId: id,
        accounts,
        ...fields,
        origin: keeps.length === 0 ? { line } : { line, keeps },
      })
    }
    if (options.isComplete === true) {
      for (const id of rows.parcelsWithoutRow(true)) {
        if (signal?.aborted) break
        summary.emptied++
        lastLine++
        // Only the accounts are gone: the parcel keeps its fields.
        await add(lastLine, {
          sourceParcelId: id,
          origin: { line: lastLine, keeps: [...summarized, 'owner_names_all'] },
        })
      }
    }
    await flush()
    await window.drain()
  } catch (error) {
    await window.settle()
    await load.abandon(String(error))
    throw error
  }
  const { read, rejected, updated, unchanged } = summary
  const isStopped = signal?.aborted ?? false
  const outcome = await load.finish(
    { read, rejected, inserted: 0, updated, unchanged },
    {
      isStopped,
      onRefused: ({ row: { origin, sourceParcelId }, reason }) => {
        summary.rejected++
        rejects.add(places.cell(origin != null && 'line' in origin ? origin.line : 0), reason, sourceParcelId)
      },
    },
  )
  if (outcome !== null) {
    summary.updated = outcome.counts.updated
    summary.unchanged = outcome.counts.unchanged
  }
  return result(outcome, isStopped)
}

/** @throws ServiceError `bad_input` for a source without parcels */
const listParcels = async (sql: Sql, source: string, rows: RollRows): Promise<void> => {
  let after = ''
  for (;;) {
    const page = await listParcelIds(sql, { source, after, limit: PAGE_PARCELS })
    for (const { source_parcel_id: id, has_accounts: hasAccounts } of page) rows.addParcel(id, hasAccounts)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_PARCELS) {
      if (after === '' && last === undefined) {
        throw new ServiceError('bad_input', `${source} has no parcels: load them first, with bun run ingest parcels`)
      }
      return
    }
    after = last.source_parcel_id
  }
}
