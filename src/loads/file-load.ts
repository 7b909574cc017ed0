import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { beginLoad, type LoadOrder, type OpenLoad } from '../../drizzle/queries/loads/begin-load'
import { endAppliedLoad, endLoad } from '../../drizzle/queries/loads/end-load'
import { findNewerData } from '../../drizzle/queries/loads/find-newer-data'
import { findRunningLoad } from '../../drizzle/queries/loads/source-turns'
import { stageBatch, stageRejected } from '../../drizzle/queries/loads/stage-batch'
import { lockLoad } from '../../drizzle/queries/loads/stored-load'
import { insertParcels, isStoredParcel } from '../../drizzle/queries/parcels/insert-parcels'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { advanceDataAsOf } from '../../drizzle/queries/sources/advance-data-as-of'
import { advanceWork, lockWork } from '../../drizzle/queries/work/advance-work'
import { cancelWork } from '../../drizzle/queries/work/cancel-work'
import { claimWork } from '../../drizzle/queries/work/claim-work'
import { finishWork } from '../../drizzle/queries/work/end-work-attempt'
import { holdWork, type WorkLease, WorkLost } from '../../drizzle/queries/work/hold-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import type { ParcelInput, UpsertCounts } from '../../drizzle/records'
import type { LoadCounts, LoadVerdict } from '../../drizzle/schema/parcels/loads'
import type { LoadStatus } from '../../drizzle/schema/values'
import { recountLoaded } from '../coverage/recount-loaded'
import { LOAD_LEASE_MS } from '../scrape/lease'
import { applyLoad, type RefusedRecord } from './apply-load'
import { describeRunningLoad } from './describe-load'
import { doLoadWork } from './do-load-work'
import { judgeLoad } from './judge-load'
import { lostLoad } from './load-attempt'

const HEARTBEAT_MS = 2_000
/** How often to check whether the other load or crawl of the source has ended. */
const LOOK_EVERY_MS = 500
/** How often the progress is stored at most. */
const REPORT_EVERY_MS = 1_000
/** Ids of rejected records that are stored together. */
const REJECTED_IDS = 1_000

export interface FileLoadOptions {
  say: (line: string) => void
  signal: AbortSignal | null
  /** Retries a step while the database is down. */
  step: <Result>(run: () => Promise<Result>) => Promise<Result>
  leaseMs?: number | undefined
}

/** How a load ended. */
export interface LoadOutcome {
  id: string
  status: LoadStatus
  counts: LoadCounts
  verdict: LoadVerdict | null
}

/**
 * A load that this process reads from a file. Its records are staged, compared with the parcels of the source, and applied. If the
 * source has no parcels, they are written directly, because there is nothing to compare and staging would take time.
 */
export class FileLoad {
  readonly #id = Bun.randomUUIDv7()
  #opening: Promise<OpenLoad> | null = null
  #lease: WorkLease | null = null
  #rejectedIds: string[] = []
  #lastRejected = 0
  /** Records so far. */
  #done = 0
  #reportedAt = performance.now()
  /** What the caller should know about the load. */
  readonly warnings: string[] = []

  constructor(
    readonly sql: Sql,
    readonly order: Omit<LoadOrder, 'id' | 'cleared'>,
    readonly options: FileLoadOptions,
  ) {}

  /** Stages or writes records. Returns how many change a parcel. The first call begins the load, and its `cleared` applies to all calls. */
  async write(rows: readonly ParcelInput[], cleared: LoadOrder['cleared']): Promise<UpsertCounts> {
    const load = await this.#open(cleared)
    if (this.#lease?.lost.aborted) throw gone()
    const counts = load.isDirect ? await this.#writeDirectly(load, rows) : await this.#stage(load, rows)
    this.#done += rows.length
    if (performance.now() - this.#reportedAt > REPORT_EVERY_MS) {
      this.#reportedAt = performance.now()
      await advanceWork(this.sql, load, { done: this.#done })
    }
    return counts
  }

  /** Adds a parcel whose record in the file was rejected, so that the load does not retire it. */
  addRejected(id: string): void {
    if (this.order.isComplete && id !== '') this.#rejectedIds.push(id)
  }

  /**
   * Call it when the file is completely read, or `isStopped`. Compares and applies the load. `reject` gets the records that only the database refuses.
   * Null: the file had no record.
   *
   * @throws ServiceError `cancelled` when its work was cancelled
   */
  async finish(
    counts: Omit<LoadCounts, 'retired'>,
    { isStopped, reject }: { isStopped: boolean; reject: (line: number, reason: string, id: string) => void },
  ): Promise<LoadOutcome | null> {
    if (this.#opening === null) return null
    const { sql, options } = this
    const load = await this.#opening
    try {
      if (isStopped) {
        await this.#end('it was stopped before the end of the file')
        const status = load.isDirect ? 'failed' : 'discarded'
        return { id: load.id, status, counts: { ...counts, retired: 0 }, verdict: null }
      }
      if (load.isDirect) {
        const changed = counts.inserted + counts.updated
        await recountLoaded(sql, load.source, { changed, signal: this.#lease?.lost })
        await options.step(() => this.#finishDirect(load, { ...counts, retired: 0 }))
        return { id: load.id, status: 'applied', counts: { ...counts, retired: 0 }, verdict: null }
      }
      await this.#stageRejected(load.id)
      const attempt = { ...load, work: load }
      const { status, verdict, replaced } = await options.step(() => judgeLoad(sql, attempt, counts))
      if (replaced !== null) options.say(`this replaced the held load ${replaced}, which is discarded`)
      const onRefused = ({ row, reason }: RefusedRecord) => reject(lineOf(row), reason, row.sourceParcelId)
      if (status === 'applying') await applyLoad(sql, attempt, { onRefused, step: options.step })
      const stored = await options.step(() => sql.begin((tx) => lockLoad(tx, load.id)))
      if (stored?.counts == null) throw new Error(`the load ${load.id} disappeared`)
      return { id: load.id, status: stored.status, counts: stored.counts, verdict }
    } catch (error) {
      throw error instanceof WorkLost ? gone() : error
    } finally {
      this.#lease?.release()
    }
  }

  /**
   * Call it when the load failed. Discards staged records; if the database is down, another process does that later. Returns the id of
   * the load if its records were written directly, so that they stay.
   */
  async abandon(reason: string): Promise<string | null> {
    if (this.#opening === null) return null
    await this.#end(reason).catch(() => {})
    this.#lease?.release()
    const load = await this.#opening.catch(() => null)
    return load?.isDirect === true ? load.id : null
  }

  /**
   * Inserts parcels as new, because the source had none. Exceptions: a parcel was scraped meanwhile, was retired earlier, or was stored
   * by an earlier attempt.
   */
  async #writeDirectly({ id, source, cleared }: OpenLoad, rows: readonly ParcelInput[]): Promise<UpsertCounts> {
    const reason = { cause: 'ingest', id } as const
    try {
      await insertParcels(this.sql, source, rows, reason)
      return { inserted: rows.length, updated: 0, unchanged: 0 }
    } catch (error) {
      if (!isStoredParcel(error)) throw error
      return await upsertParcels(this.sql, source, rows, reason, cleared)
    }
  }

  async #stage(load: OpenLoad, rows: readonly ParcelInput[]): Promise<UpsertCounts> {
    const ids = rows.map(({ sourceParcelId }) => sourceParcelId)
    const counts = await stageBatch(this.sql, load, { number: lineOf(rows[0]), rows, ids })
    if (counts === null) throw gone()
    return counts
  }

  #open(cleared: LoadOrder['cleared']): Promise<OpenLoad> {
    this.#opening ??= this.#begin(cleared).catch((error) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #begin(cleared: LoadOrder['cleared']): Promise<OpenLoad> {
    const { sql, order, options } = this
    const { leaseMs = LOAD_LEASE_MS, signal } = options
    let hasSaid = false
    for (;;) {
      const load = await beginLoad(sql, { ...order, cleared, id: this.#id }, leaseMs)
      if (load !== null) {
        this.#lease = holdWork(() => sql, load, { leaseMs, heartbeatMs: heartbeatOf(leaseMs) })
        await this.#compareDates()
        return load
      }
      if (signal?.aborted)
        throw new ServiceError('cancelled', 'stopped while another load or crawl of the source was running')
      const other = await findRunningLoad(sql, order.source)
      if (other?.kind === WORK_KINDS.load.name && other.canBeClaimed) {
        await this.#continueOther(other.id)
        continue
      }
      if (!hasSaid && other !== null) {
        options.say(`${describeRunningLoad(order.source, other.kind)} is running (${other.id}): waiting for it to end`)
        hasSaid = true
      }
      await Bun.sleep(LOOK_EVERY_MS)
    }
  }

  async #compareDates(): Promise<void> {
    const { source, asOf } = this.order
    const newer = asOf === null ? null : await findNewerData(this.sql, source, asOf)
    if (newer === null) return
    this.warnings.push(`the data is of ${asOf}, but ${source} has data of ${newer}: older values replace newer ones`)
  }

  /** Does the work of a process that stopped. */
  async #continueOther(id: string): Promise<void> {
    const { sql, options } = this
    const { leaseMs = LOAD_LEASE_MS } = options
    const [work] = await claimWork(sql, { kind: WORK_KINDS.load.name, id, leaseMs })
    if (work === undefined) return
    const lease = holdWork(() => sql, work, { leaseMs, heartbeatMs: heartbeatOf(leaseMs) })
    const log = { info: () => {}, warn: () => {} }
    try {
      await finishWork(sql, work, await doLoadWork(sql, work, { signal: lease.lost, log }))
    } finally {
      lease.release()
    }
  }

  async #stageRejected(id: string): Promise<void> {
    while (this.#rejectedIds.length > 0) {
      const ids = this.#rejectedIds.slice(0, REJECTED_IDS)
      await this.options.step(() => stageRejected(this.sql, id, this.#lastRejected, ids))
      this.#lastRejected--
      this.#rejectedIds = this.#rejectedIds.slice(REJECTED_IDS)
    }
  }

  async #finishDirect(load: OpenLoad, counts: LoadCounts): Promise<void> {
    await this.sql.begin(async (tx) => {
      if ((await lockWork(tx, load)) === null) throw lostLoad()
      await advanceWork(tx, load, { done: this.#done, total: this.#done })
      await endAppliedLoad(tx, load, counts)
      if (this.order.asOf !== null) await advanceDataAsOf(tx, load.source, this.order.asOf)
      await finishWork(tx, load, { status: 'applied' })
    })
  }

  async #end(reason: string): Promise<void> {
    const load = await this.#opening
    if (load == null) return
    await this.sql.begin(async (tx) => {
      if (!(await cancelWork(tx, load.id, reason))) return
      await endLoad(tx, load, load.isDirect ? 'failed' : 'discarded', reason)
    })
  }
}

const heartbeatOf = (leaseMs: number): number => Math.min(HEARTBEAT_MS, leaseMs / 4)

const lineOf = (row: ParcelInput | undefined): number => {
  if (row?.origin == null || !('line' in row.origin)) throw new Error('a record of a file has no line')
  return row.origin.line
}

const gone = (): ServiceError =>
  new ServiceError(
    'cancelled',
    'this process no longer has the load: it was cancelled, or a worker took over after this process did not respond. `bun run loads list` shows its state',
  )
