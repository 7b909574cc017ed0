import type { Sql, Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { cancelCrawl } from '../../drizzle/queries/crawls/crawls'
import { cancelJobs } from '../../drizzle/queries/jobs/order/cancel-jobs'
import { stageSourceRetirement } from '../../drizzle/queries/loads/begin-load'
import { lockSourceTurns } from '../../drizzle/queries/loads/source-turns'
import { findCause } from '../../drizzle/queries/loads/undo-changes'
import { lockSourceSettings, markListed, markRetired } from '../../drizzle/queries/sources/sources'
import { cancelQueuedWork } from '../../drizzle/queries/work/cancel-work'
import { orderWork } from '../../drizzle/queries/work/order-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { orderUndo } from './order-on-load'
import { refuseRunningLoad } from './refuse-running-load'

const WAIT_OR_CANCEL = 'try again when it has ended, or cancel it'
/** How many jobs one statement cancels. */
const JOBS_AT_A_TIME = 5_000

/** `loadId`: the load that retires the parcels, or whose undo restores them. Null: there is nothing to change. */
export interface SourceOrder {
  loadId: string | null
  workId: string | null
}

/**
 * Retires a source: it is no longer scraped, its queued and running jobs and its crawl are cancelled, and a load without records
 * retires its parcels. Nothing is deleted. If the source is already retired, only jobs are cancelled. `by` is the first 8 characters of
 * a key, or a person.
 *
 * @throws ServiceError `not_found`; `conflict` while a load of the source is running
 */
export const retireSource = async (sql: Sql, source: string, by: string): Promise<SourceOrder> => {
  const order = (await sql.begin((tx) => orderRetirement(tx, source, by))) as SourceOrder
  const all = { source, status: null, limit: JOBS_AT_A_TIME }
  while ((await cancelJobs(sql, all, `cancelled by ${by}: the source is retired`)) === JOBS_AT_A_TIME);
  return order
}

const orderRetirement = async (tx: Transaction, source: string, by: string): Promise<SourceOrder> => {
  await lockSourceTurns(tx)
  const settings = await lockSourceSettings(tx, source)
  if (settings === null) throw new ServiceError('not_found', 'not found')
  if (settings.isRetired) return { loadId: settings.retiredBy, workId: null }
  const message = `cancelled by ${by}: the source is retired`
  await cancelCrawl(tx, { source }, message)
  await cancelQueuedWork(tx, { kind: WORK_KINDS.ingest.name, source }, message)
  await refuseRunningLoad(tx, source, WAIT_OR_CANCEL)
  const loadId = await stageSourceRetirement(tx, source, `retired by ${by}`, by)
  await markRetired(tx, source, loadId)
  if (loadId === null) return { loadId, workId: null }
  const payload = { action: 'apply', cause_id: loadId } as const
  const work = await orderWork(tx, { kind: WORK_KINDS.load, subject: source, source, payload, requestedBy: by })
  return { loadId, workId: work.id }
}

/**
 * Restores a retired source, inactive, and queues the undo of the load that retired its parcels. Does nothing to a source that is not retired.
 *
 * @throws ServiceError `not_found`; `conflict` while a load of the source is running
 */
export const restoreSource = async (tx: Transaction, source: string, by: string): Promise<SourceOrder> => {
  const settings = await lockSourceSettings(tx, source)
  if (settings === null) throw new ServiceError('not_found', 'not found')
  if (!settings.isRetired) return { loadId: null, workId: null }
  const { retiredBy } = settings
  await refuseRunningLoad(tx, source, WAIT_OR_CANCEL)
  await markListed(tx, source)
  const hasChanged = retiredBy !== null && (await findCause(tx, retiredBy)) !== null
  return { loadId: retiredBy, workId: hasChanged ? await orderUndo(tx, retiredBy, by) : null }
}
