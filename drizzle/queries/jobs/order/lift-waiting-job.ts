import type { Db } from '../../../../core/postgres/database'

/**
 * What becomes of a queued job `j` that is asked for again (`excluded`): it takes the higher priority of the two, and if that is
 * new, is handed over again with it. The delivery that its queue holds already turns up later, and is told by its number.
 */
export const liftWaitingJob = (db: Db) => db`
  priority = least(j.priority, excluded.priority),
  dispatched_at = case when excluded.priority < j.priority then null else j.dispatched_at end`
