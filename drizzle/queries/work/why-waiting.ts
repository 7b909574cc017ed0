import type { Db, Fragment } from '../../../core/postgres/database'
import { waitsForLoad } from '../loads/source-turns'
import { probeDueAt } from '../tuner/take-probe'

/**
 * SQL: why the queued work `w` cannot be claimed now, and until when, as far as that is known; `waits_for` and `waits_until`. The reasons are
 * those of `claimWork`.
 */
export const whyWaiting = (db: Db) => db`
  (${ofQueued(db, { retry: db`'retry'`, load: db`'load'`, pause: db`'pause'`, breaker: db`'breaker'` })}) as waits_for,
  iso_utc(${ofQueued(db, { retry: db`w.not_before`, load: db`null`, pause: db`c.paused_until`, breaker: probeDueAt(db) })}) as waits_until`

const ofQueued = (
  db: Db,
  { retry, load, pause, breaker }: { retry: Fragment; load: Fragment; pause: Fragment; breaker: Fragment },
) => db`case
  when w.status <> 'queued' then null
  when w.not_before > now() then ${retry}
  when ${waitsForLoad(db)} then ${load}
  else (
    select case
      when is_paused(c.paused_at, c.paused_until) then ${pause}
      when c.breaker_opened_at is not null and ${probeDueAt(db)} > now() then ${breaker}
    end
    from vendor_concurrency c where c.vendor = w.vendor
  ) end`
