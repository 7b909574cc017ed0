import { CHANNELS } from '../../../core/channels'
import type { Sql, Transaction } from '../../../core/postgres/database'
import { handBackJobs } from '../jobs/run/hand-back-jobs'
import { lockSourceTurns } from '../loads/source-turns'

export interface Pause {
  reason: string
  /** ISO 8601; null: until an operator resumes the vendor. */
  until: string | null
  actor: string
}

/** Pauses a vendor, or changes its pause. Returns the vendor's target, or null if there is no such vendor. */
export const writePause = async (
  tx: Transaction,
  vendor: string,
  { reason, until, actor }: Pause,
): Promise<number | null> => {
  const [row] = await tx<{ target: number }[]>`
    update vendor_concurrency v set paused_at = case when is_paused(v.paused_at, v.paused_until) then paused_at else now() end,
      paused_until = ${until}::timestamptz, pause_reason = ${reason}, paused_by = ${actor}
    where vendor = ${vendor} returning target_concurrency as target`
  return row?.target ?? null
}

/**
 * Ends a pause. The tuner starts again one window from now, because it learns nothing from the pause. Returns the vendor's target, or
 * null if it was not paused.
 */
export const removePause = async (tx: Transaction, vendor: string): Promise<number | null> => {
  const [row] = await tx<{ target: number }[]>`
    with before as (select is_paused(v.paused_at, v.paused_until) as was_paused from vendor_concurrency v where vendor = ${vendor} for update)
    update vendor_concurrency v set paused_at = null, paused_until = null, pause_reason = null, paused_by = null,
      tuner_state = jsonb_build_object('changedAt', floor(extract(epoch from clock_timestamp()) * 1000))
    from before where vendor = ${vendor} and was_paused returning target_concurrency as target`
  await tx`select pg_notify(${CHANNELS.jobsQueued}, '')`
  return row?.target ?? null
}

/** Requeues the running jobs and crawls of a paused vendor. Their workers drop them when they are notified, or at the next heartbeat. */
export const handBackVendor = (sql: Sql, vendor: string): Promise<void> =>
  sql.begin(async (tx) => {
    // Waits for any claim of a crawl that began before the pause.
    await lockSourceTurns(tx)
    const running = await tx<{ id: string; attempt: number }[]>`
      select id, attempts as attempt from scrape_jobs where vendor = ${vendor} and status = 'running'`
    await handBackJobs(tx, running, { code: 'vendor_paused', message: 'its vendor was paused' })
    await tx`select pg_notify(${CHANNELS.jobCancelled}, id) from unnest(${running.map(({ id }) => id)}::text[]) as id`
    await tx`update work set status = 'queued', lease_expires_at = null, not_before = now() where vendor = ${vendor} and status = 'running'`
  }) as Promise<void>

/** Why a source may not be scraped now; null if its vendor is not paused. `until` is ISO 8601. */
export const findPauseOfSource = async (
  db: Sql,
  source: string,
): Promise<{ vendor: string; reason: string; until: string | null } | null> => {
  const [row] = await db<{ vendor: string; reason: string; until: string | null }[]>`
    select vendor, v.pause_reason as reason, iso_utc(v.paused_until) as until
    from sources s join vendor_concurrency v using (vendor) where s.source = ${source} and is_paused(v.paused_at, v.paused_until)`
  return row ?? null
}
