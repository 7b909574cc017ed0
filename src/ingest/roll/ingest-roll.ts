import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import type { LoadOutcome } from '../../loads/file-load'
import { createFileLoad, type IngestOptions } from '../ingest'
import { retryOf } from '../pipeline/pipeline'
import { ListFile, SortedRejects } from '../rows/rejects-file'
import { whileAvailable } from '../writing/while-available'
import { addParcels, RollReader } from './read-roll'
import { RollRows } from './roll-rows'
import { RollWriter } from './roll-writer'
import { SUMMARIZED_FIELDS } from './summarize-accounts'

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

type Written = Pick<RollSummary, 'accounts' | 'parcels' | 'updated' | 'unchanged' | 'withoutRow' | 'emptied'>
const NOTHING_WRITTEN: Written = { accounts: 0, parcels: 0, updated: 0, unchanged: 0, withoutRow: 0, emptied: 0 }

/**
 * Loads rows of an assessor's roll as accounts of the parcels that the source has already. The map says with `source_parcel_id` which
 * parcel a row is for. A load is compared, held and undone like any other.
 *
 * @throws ServiceError `bad_input`, `server_unavailable`
 */
export const ingestRoll = async (sql: Sql, source: string, options: RollOptions): Promise<RollSummary> => {
  const startedAt = performance.now()
  const { signal } = options
  const retry = retryOf(options)
  let withoutParcel = 0
  let rejected = 0
  using rows = new RollRows()
  using rejects = new SortedRejects(options.rejectsFile)
  const list = (line: number, reason: string, id: string) => rejects.add(line, reader.places.cell(line), reason, id)
  const refuse = (line: number, reason: string, id: string) => {
    rejected++
    list(line, reason, id)
  }
  const reader = new RollReader(source, rows, options, ({ line, reason, id, isWithoutParcel }) => {
    if (!isWithoutParcel) return refuse(line, reason, id)
    withoutParcel++
    list(line, reason, id)
  })
  await whileAvailable(() => addParcels(sql, source, rows), retry)
  await reader.readFiles()
  const summarize = (
    written: Written,
    end: Pick<RollSummary, 'stopped' | 'load'>,
    warnings: readonly string[] = [],
  ): RollSummary => ({
    read: reader.read,
    rejected,
    withoutParcel,
    ...written,
    ...end,
    durationMs: performance.now() - startedAt,
    warnings: [...reader.warnings(), ...warnings],
  })
  if (signal?.aborted) return summarize(NOTHING_WRITTEN, { stopped: true, load: null })
  const withoutRow = listParcelsWithoutRow(rows, options.parcelsWithoutRowFile)
  const cleared = reader.columns.decideCleared()
  const load = createFileLoad(sql, source, { ...options, isComplete: false })
  const writer = new RollWriter(
    load,
    SUMMARIZED_FIELDS.filter((name) => cleared.includes(name)),
    signal,
    { ...retry, onRefused: ({ line, item }, reason) => refuse(line, reason, item.sourceParcelId) },
  )
  try {
    await writer.writeAccounts(reader)
    if (options.isComplete === true) {
      if (writer.accounts === 0) {
        throw new ServiceError('bad_input', `no row of the roll is for a parcel of ${source}: is --join right?`)
      }
      await writer.removeAccounts(rows.parcelsWithoutRow(true), reader.lastLine)
    }
    await writer.end()
  } catch (error) {
    await writer.settle()
    await load.abandon(String(error))
    throw error
  }
  const isStopped = signal?.aborted ?? false
  const { parcels, accounts, emptied } = writer
  const outcome = await load.finish(
    { read: reader.read, rejected, inserted: 0, updated: writer.updated, unchanged: writer.unchanged },
    { isStopped, reject: refuse },
  )
  const { updated, unchanged } = outcome?.counts ?? writer
  return summarize(
    { parcels, accounts, emptied, updated, unchanged, withoutRow },
    { stopped: isStopped, load: outcome },
    load.warnings,
  )
}

/** Returns the number of parcels that the roll does not have. */
const listParcelsWithoutRow = (rows: RollRows, file: string): number => {
  let count = 0
  using missing = new ListFile(file, 'source_parcel_id\n')
  for (const id of rows.parcelsWithoutRow()) {
    count++
    missing.add(id)
  }
  return count
}
