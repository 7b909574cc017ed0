import type { Db, Fragment } from '../../../core/postgres/database'
import { WORK_KINDS } from '../work/work-kinds'

/**
 * The priority of a receiver's turn, as an aggregate of its watches: 1 if it accepted the last request of one of them, 0 if it has had
 * no request yet, -1 if requests of all of them fail. Receivers that work do not wait for those that hang.
 */
export const turnPriority = (db: Db) =>
  db`max(case when failures > 0 then -1 when last_delivered_at is null then 0 else 1 end)`

/** SQL statement that queues a turn for each receiver of these watches, or makes a queued turn earlier. */
export const queueTurns = (db: Db, watches: Fragment) => db`
  insert into work as live (kind, subject, priority, not_before)
  select ${WORK_KINDS.webhooks.name}, receiver, ${turnPriority(db)}, date_trunc('milliseconds', min(greatest(now(), held_until)))
  from ${watches} watches where receiver is not null group by receiver
  on conflict (kind, subject) where status in ('queued', 'running') do update set not_before = least(live.not_before, excluded.not_before)`
