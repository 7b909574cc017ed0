import type { LoadedColumn, ParcelFieldName } from '../../../core/parcels/fields'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import type { ParcelInput } from '../../../drizzle/records'
import type { LoadOutcome } from '../../loads/file-load'
import { createFileLoad, type IngestOptions } from '../ingest'
import { ListFile, SortedRejects } from '../rows/rejects-file'
import { type Placed, TaskWindow, WIDTH, whileAvailable, writeBatch } from '../write-batches'
import { addParcels, RollReader } from './read-roll'
import { RollRows } from './roll-rows'
import { SUMMARIZED_FIELDS, summarizeAccounts } from './summarize-accounts'

export interface RollOptions
  extends Omit<
    IngestOptions,
    'duplicates' | 'sum' | 'brokenGeometry' | 'boundaryColumn' | 'crs' | 'beforeWriting' | 'rejectsFile' | 'rejects'
  > {
  /** A CSV for rows that are not loaded, including those whose parcel the source does not have. */
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
  /** Parcels without a row in the roll. */
  withoutRow: number
  /** Parcels that lost the accounts of an earlier roll. */
  emptied: number
  durationMs: number
  stopped: boolean
  warnings: string[]
  load: LoadOutcome | null
}

const BATCH_PARCELS = 1_000
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
  const summary = {
    ...{ read: 0, accounts: 0, parcels: 0, updated: 0, unchanged: 0, rejected: 0 },
    ...{ withoutParcel: 0, withoutRow: 0, emptied: 0 },
  }
  using rows = new RollRows()
  using rejects = new SortedRejects(options.rejectsFile)
  const reader = new RollReader(source, rows, options, ({ line, reason, id, isWithoutParcel }) => {
    summary[isWithoutParcel ? 'withoutParcel' : 'rejected']++
    rejects.add(line, reader.places.cell(line), reason, id)
  })
  const refuse = (line: number, reason: string, id: string) => {
    summary.rejected++
    rejects.add(line, reader.places.cell(line), reason, id)
  }
  await whileAvailable(() => addParcels(sql, source, rows), retry)
  await reader.readFiles()
  summary.read = reader.read
  const result = (load: LoadOutcome | null, isStopped: boolean): RollSummary => ({
    ...summary,
    durationMs: performance.now() - startedAt,
    stopped: isStopped,
    warnings: reader.warnings(),
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
  const cleared = reader.columns.decideCleared() as LoadedColumn[]
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
        onRefused: ({ line, item }, reason) => refuse(line, reason, item.sourceParcelId),
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
    for (const { id, line, accounts } of reader.parcels()) {
      if (signal?.aborted) break
      summary.parcels++
      summary.accounts += accounts.length
      const { fields, keeps } = summarizeAccounts(accounts)
      await add(line, {
        sourceParcelId: id,
        accounts,
        ...fields,
        origin: { ...reader.places.originOf(line), ...(keeps.length === 0 ? {} : { keeps }) },
      })
    }
    if (summary.accounts === 0 && options.isComplete === true) {
      throw new ServiceError('bad_input', `no row of the roll is for a parcel of ${source}: is --join right?`)
    }
    if (options.isComplete === true) {
      for (const id of rows.parcelsWithoutRow(true)) {
        if (signal?.aborted) break
        summary.emptied++
        // Each record of a load needs its own line number.
        const line = reader.lastLine + summary.emptied
        // Only the accounts are removed. The parcel keeps its fields.
        await add(line, {
          sourceParcelId: id,
          origin: { line, place: 'no row of the roll', keeps: [...summarized, 'owner_names_all'] },
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
        refuse(origin != null && 'line' in origin ? origin.line : 0, reason, sourceParcelId)
      },
    },
  )
  if (outcome !== null) {
    summary.updated = outcome.counts.updated
    summary.unchanged = outcome.counts.unchanged
  }
  return result(outcome, isStopped)
}
