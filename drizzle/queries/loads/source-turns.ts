import type { Db, Transaction } from '../../../core/postgres/database'
import { limitTransaction } from '../../../core/postgres/limit-transaction'
import { WORK_KINDS } from '../work/work-kinds'

/*
 * A source's crawls and loads run one at a time, because each is compared with the result of the previous one. A load waits while a
 * crawl of the source is in progress. A crawl does not begin while a load is queued or running.
 */

/**
 * A lock to take before claiming a crawl and before beginning or ordering a load, so that only one of them can go ahead. All processes wait
 * for it, so the transaction has the limits of a request, also in a command.
 */
export const lockSourceTurns = (tx: Transaction) => tx`
  select pg_advisory_xact_lock(hashtext('claim_work')), ${limitTransaction(tx, { idleMs: 5_000, transactionMs: 30_000 })}`

/** SQL condition: the work `w` is a crawl, and a load of its source is queued or running. */
export const waitsForLoad = (db: Db) => db`
  w.kind = ${WORK_KINDS.crawl.name} and exists (
    select from work o where o.kind = ${WORK_KINDS.load.name} and o.subject = w.subject and o.status in ('queued', 'running')
  )`

/** SQL condition: the work `w` is a crawl of the source that runs, or that waits between two of its pages. */
export const isCrawlUnderWay = (db: Db, source: string) => db`
  w.kind = ${WORK_KINDS.crawl.name} and w.subject = ${source} and (w.status = 'running' or w.status = 'queued' and w.cursor is not null)`

export interface RunningLoad {
  id: string
  kind: string
  /** No process has claimed it. */
  canBeClaimed: boolean
}

/** The queued or running load of a source, or its crawl in progress. */
export const findRunningLoad = async (db: Db, source: string): Promise<RunningLoad | null> => {
  const [row] = await db<RunningLoad[]>`
    select id, kind, status = 'queued' and not_before <= now() or status = 'running' and lease_expires_at < now() as "canBeClaimed"
    from work w
    where kind = ${WORK_KINDS.load.name} and subject = ${source} and status in ('queued', 'running') or ${isCrawlUnderWay(db, source)}
    limit 1`
  return row ?? null
}
