import type { Sql, Transaction } from '../../core/postgres/database'
import { isAboutData, writeUnlessRefused } from '../../core/postgres/refused-data'
import { endStagedCrawl } from '../../drizzle/queries/crawls/advance-crawl'
import {
  countChanged,
  countRefused,
  endBatch,
  type LoadBatch,
  lockNextBatch,
  readStagedRows,
  retireBatch,
} from '../../drizzle/queries/loads/apply-batch'
import { endAppliedLoad } from '../../drizzle/queries/loads/end-load'
import { lockLoad } from '../../drizzle/queries/loads/stored-load'
import { type StagedRows, upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { advanceDataAsOf } from '../../drizzle/queries/sources/advance-data-as-of'
import { addRejects } from '../../drizzle/queries/work/add-rejects'
import { lockWork } from '../../drizzle/queries/work/advance-work'
import { finishWork } from '../../drizzle/queries/work/end-work-attempt'
import { addCounts, NOTHING_WRITTEN, type ParcelInput, type UpsertCounts } from '../../drizzle/records'
import { recountLoaded } from '../coverage/recount-loaded'
import { linkSuccessors } from '../parcels/link-successors'
import { review } from '../scrape/review/review'
import { writePage } from '../scrape/store/write-page'
import type { CheckedScrape, StoreDeps } from '../scrape/store/write-scrapes'
import { type LoadAttempt, lostLoad } from './load-attempt'

/** A record that only the database refuses. */
export interface RefusedRecord {
  row: ParcelInput
  reason: string
}

export interface ApplyOptions {
  /** Checked before each batch. */
  signal?: AbortSignal
  onRefused?: (refused: RefusedRecord) => void
  /** Runs a step, for example again after a database outage. */
  step?: <Result>(run: () => Promise<Result>) => Promise<Result>
  /** For scrapes of a crawl. */
  deps?: StoreDeps
}

/**
 * Batches that are applied in parallel. One batch keeps one core of the database busy. Scrapes of a crawl also write findings, so two
 * of their batches could deadlock.
 */
const WIDTH = { ingest: 2, crawl: 1 } as const

/**
 * Writes the staged records of a load and retires the parcels that it does not list. Each batch is a transaction, so another process
 * can continue.
 *
 * @throws WorkLost when another process has its work; the signal's reason when it aborts
 */
export const applyLoad = async (
  sql: Sql,
  load: LoadAttempt,
  { signal, onRefused = () => {}, step = (run) => run(), deps = { review } }: ApplyOptions = {},
): Promise<void> => {
  const applyBatches = async (waits: boolean): Promise<void> => {
    for (;;) {
      signal?.throwIfAborted()
      const applied = await step(() => applyNextBatch(sql, load, deps, waits))
      if (applied === null) return
      for (const refused of applied) onRefused(refused)
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: WIDTH[load.kind] }, () => applyBatches(false)))
  const failed = workers.find((worker) => worker.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  // A process that lost the work may still hold a batch, which it cannot commit.
  await applyBatches(true)
  await step(() => linkSuccessors(sql, load.id))
  const changed = await step(() => countChanged(sql, load.id))
  await recountLoaded(sql, load.source, { changed, signal })
  await step(() => finishLoad(sql, load))
}

/**
 * Null: there was no batch left. The work's row is locked last, because the other batches and the heartbeat need it, too. If another
 * process has taken the work by then, nothing is committed.
 */
const applyNextBatch = (
  sql: Sql,
  load: LoadAttempt,
  deps: StoreDeps,
  waits: boolean,
): Promise<RefusedRecord[] | null> =>
  sql.begin(async (tx) => {
    const batch = await lockNextBatch(tx, load.id, waits)
    if (batch === null) return null
    const { counts, refused } = batch.retires
      ? { counts: { ...NOTHING_WRITTEN, retired: await retireBatch(tx, load, batch) }, refused: [] }
      : await writeStaged(tx, load, batch, deps)
    if ((await lockWork(tx, load.work)) === null) throw lostLoad()
    await endBatch(tx, load, batch, { retired: 0, ...counts })
    if (refused.length > 0) {
      const rejects = refused.map(({ row, reason }) => ({ what: row.sourceParcelId, reason }))
      await addRejects(tx, load.id, rejects)
      await countRefused(tx, load.id, rejects.length)
    }
    return refused
  }) as Promise<RefusedRecord[] | null>

interface Written {
  counts: UpsertCounts
  refused: RefusedRecord[]
}

const writeStaged = async (tx: Transaction, load: LoadAttempt, batch: LoadBatch, deps: StoreDeps): Promise<Written> => {
  const { id, source, cleared } = load
  if (load.kind === 'crawl') {
    const { counts, refused } = await writePage(tx, deps, load, await readStagedRows<CheckedScrape>(tx, id, batch))
    return { counts, refused: refused.map(({ what, reason }) => ({ row: { sourceParcelId: what }, reason })) }
  }
  const refused: RefusedRecord[] = []
  let counts: UpsertCounts = NOTHING_WRITTEN
  const write = async (rows: readonly ParcelInput[] | StagedRows): Promise<void> => {
    const upsert = (inner: Transaction) => upsertParcels(inner, source, rows, { cause: 'ingest', id }, cleared)
    counts = addCounts(counts, (await tx.savepoint(upsert)) as UpsertCounts)
  }
  try {
    // The rows do not leave the database.
    await write({ loadId: id, number: batch.number, length: batch.length })
  } catch (error) {
    if (!isAboutData(error)) throw error
    const rows = await readStagedRows<ParcelInput>(tx, id, batch)
    await writeUnlessRefused(rows, write, (row, reason) => refused.push({ row, reason }))
  }
  return { counts, refused }
}

const finishLoad = (sql: Sql, load: LoadAttempt): Promise<void> =>
  sql.begin(async (tx) => {
    if ((await lockWork(tx, load.work)) === null) throw lostLoad()
    const stored = await lockLoad(tx, load.id)
    // The database's response was lost: the load has ended.
    if (stored === null || stored.status === 'applied') return
    const counts = await endAppliedLoad(tx, load)
    if (stored.asOf !== null) await advanceDataAsOf(tx, load.source, stored.asOf)
    if (load.kind === 'crawl') await endStagedCrawl(tx, load.id, counts)
    // The result of a crawl is its counts.
    await finishWork(tx, load.work, load.work.id === load.id && load.kind === 'crawl' ? {} : { status: 'applied' })
  }) as Promise<void>
