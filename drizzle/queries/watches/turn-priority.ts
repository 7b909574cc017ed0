import type { Db } from '../../../core/postgres/database'

/**
 * The priority of a receiver's turn, as an aggregate of its watches: 1 if it accepted the last request of one of them, 0 if it has had
 * no request yet, -1 if requests of all of them fail. Receivers that work do not wait for those that hang.
 */
export const turnPriority = (db: Db) =>
  db`max(case when failures > 0 then -1 when last_delivered_at is null then 0 else 1 end)`
