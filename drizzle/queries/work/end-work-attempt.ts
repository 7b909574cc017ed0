import type { Db } from '../../../core/postgres/database'
import type { FailedAttempt } from '../jobs/run/fail-job'
import type { WorkAttempt } from './claim-work'

/**
 * Ends work as done. Returns false if this attempt is no longer the current one. Returns true if this attempt already ended the work in
 * the transaction of its last step.
 */
export const finishWork = async (
  db: Db,
  { id, attempt }: WorkAttempt,
  result: Record<string, unknown> = {},
): Promise<boolean> => {
  const [row] = await db<{ status: string }[]>`
    update work set status = 'done', lease_expires_at = null,
      result = case when status = 'done' then result else result || ${JSON.stringify(result)}::text::jsonb end,
      finished_at = coalesce(finished_at, greatest(clock_timestamp(), started_at))
    where id = ${id} and attempts = ${attempt} and status in ('running', 'done') returning status`
  return row !== undefined
}

/**
 * Ends an attempt as failed, if it is still the current one: the work is queued for a retry, or ends. `failures` is the number of failed
 * attempts in a row, with this one; default: one more than before. If the work sends requests to a vendor's portals, the tuner counts the
 * failure. It does not count the duration, because the attempt was not a single scrape.
 */
export const failWork = async (
  db: Db,
  failed: Omit<FailedAttempt, 'isPutOff'> & { failures?: number },
): Promise<void> => {
  await db`
    with ended as (
      update work set status = (case when ${failed.retryInMs === null} then 'error' else 'queued' end)::job_status,
        failures = coalesce(${failed.failures ?? null}::int, failures + 1), error_code = ${failed.code}, failure_class = ${failed.failureClass ?? null}, error_message = ${failed.message}, lease_expires_at = null,
        not_before = now() + ${failed.retryInMs ?? 0} * interval '1 ms',
        finished_at = case when ${failed.retryInMs === null} then greatest(clock_timestamp(), started_at) end
      where id = ${failed.id} and attempts = ${failed.attempt} and status = 'running'
      returning id, attempts, vendor
    )
    insert into scrape_attempts (job_id, attempt, vendor, outcome, retry_after_ms, duration_ms)
    select id, attempts, vendor, ${failed.code}, ${failed.retryAfterMs}::int, 0 from ended where vendor is not null`
}

/**
 * Ends work that a leader left running. Work that a caller requested is requeued instead. Call it through the current leader's
 * `Lead.begin`.
 */
export const handBackLedWork = async (
  db: Db,
  { kinds, subject }: { kinds: readonly string[]; subject: string },
): Promise<void> => {
  await db`
    update work set status = (case when requested_by is null then 'error' else 'queued' end)::job_status, lease_expires_at = null,
      error_code = case when requested_by is null then 'worker_lost' end, failure_class = null,
      error_message = case when requested_by is null then 'its worker was lost' end,
      finished_at = case when requested_by is null then greatest(clock_timestamp(), started_at) end
    where kind = any(${[...kinds]}::text[]) and subject = ${subject} and status = 'running'`
}

/** Requeues work whose attempt was interrupted, to continue in `inMs`. That does not count as a failure. */
export const handBackWork = async (db: Db, { id, attempt }: WorkAttempt, inMs = 0): Promise<void> => {
  await db`
    update work set status = 'queued', lease_expires_at = null,
      not_before = date_trunc('milliseconds', now() + ${inMs} * interval '1 ms')
    where id = ${id} and attempts = ${attempt} and status = 'running'`
}
