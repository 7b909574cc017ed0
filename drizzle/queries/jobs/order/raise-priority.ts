import type { Db } from '../../../../core/postgres/database'

/**
 * Updates a queued job `j` that is requested again (`excluded`): it gets the higher of the two priorities. If its priority rises, it
 * is dispatched again. Its entry in the old queue remains, and the second claim of the two fails.
 */
export const raisePriority = (db: Db) => db`
  priority = least(j.priority, excluded.priority),
  dispatched_at = case when excluded.priority < j.priority then null else j.dispatched_at end`
