import { MOST_IDEMPOTENCY_KEYS } from '../../../core/bounds'
import type { Db, Transaction } from '../../../core/postgres/database'

/** How long a response is kept. */
const KEPT = '24 hours'

export interface IdempotentRequest {
  callerHash: string
  idempotencyKey: string
  requestHash: string
}

export interface KeptAnswer {
  status: number
  body: string
}

/** The row of an idempotency key. It was stored in the same transaction as the effect of its request. */
export interface IdempotencyRow {
  requestHash: string
  /** Null: the request is tied to a scrape job, and its response was not stored. */
  answer: KeptAnswer | null
  /** The scrape job that the request created or shared. */
  jobId: string | null
  /** The job is running, and its lease has not expired. */
  isRunning: boolean
}

/** The key of a request that starts a scrape job, and the job that an earlier request tied the key to; null: none. */
export interface JobKey {
  request: IdempotentRequest
  formerJob: string | null
}

/** The row of a key that was used within 24 hours; null when there is none. */
export const findIdempotencyKey = async (
  db: Db,
  { callerHash, idempotencyKey }: IdempotentRequest,
): Promise<IdempotencyRow | null> => {
  const [row] = await db<(Omit<IdempotencyRow, 'answer'> & { status: number | null; body: string | null })[]>`
    select k.request_hash as "requestHash", k.status, k.body, k.job_id as "jobId",
      coalesce(j.status = 'running' and j.lease_expires_at > now(), false) as "isRunning"
    from idempotency_keys k left join scrape_jobs j on j.id = k.job_id
    where k.caller_hash = ${callerHash} and k.idempotency_key = ${idempotencyKey}
      and k.created_at >= now() - ${KEPT}::interval and (k.status is not null or k.job_id is not null)`
  if (row === undefined) return null
  const { status, body, ...rest } = row
  return { ...rest, answer: status === null ? null : { status, body: body ?? '' } }
}

/** Locks a key until the transaction ends. False when another transaction holds it for a request that is still running. */
export const holdIdempotencyKey = async (
  tx: Transaction,
  { callerHash, idempotencyKey }: IdempotentRequest,
): Promise<boolean> => {
  const [row] = await tx<{ held: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${callerHash} ${idempotencyKey}`}, 0)) as held`
  return row?.held === true
}

/** Stores a response in the transaction of its request's effect. The caller holds the key and found no row. */
export const storeIdempotentAnswer = async (
  tx: Transaction,
  { callerHash, idempotencyKey, requestHash }: IdempotentRequest,
  { status, body }: KeptAnswer,
): Promise<void> => {
  await tx`
    insert into idempotency_keys (caller_hash, idempotency_key, request_hash, status, body)
    values (${callerHash}, ${idempotencyKey}, ${requestHash}, ${status}, ${body})
    on conflict (caller_hash, idempotency_key) do update
      set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body, job_id = null, created_at = now()`
  await forgetOldestKeys(tx, callerHash)
}

/**
 * Ties a key to the scrape job that its request created or shares, in the transaction that creates it. `former` is the job that the
 * key was tied to when the caller read it. False when the key is now tied to another job, because a concurrent request was faster.
 */
export const tieIdempotencyKey = async (
  db: Db,
  { callerHash, idempotencyKey, requestHash }: IdempotentRequest,
  { jobId, former }: { jobId: string; former: string | null },
): Promise<boolean> => {
  const rows = await db`
    insert into idempotency_keys as k (caller_hash, idempotency_key, request_hash, job_id)
    values (${callerHash}, ${idempotencyKey}, ${requestHash}, ${jobId})
    on conflict (caller_hash, idempotency_key) do update
      set request_hash = excluded.request_hash, job_id = excluded.job_id, status = null, body = null, created_at = now()
      where k.created_at < now() - ${KEPT}::interval or (k.status is null and k.job_id is not distinct from ${former})
    returning 1`
  await forgetOldestKeys(db, callerHash)
  return rows.length > 0
}

/** To count 5,000 keys took 28 ms (2026-11-29), so this is done for a few of the requests that store a key. */
const SHARE_THAT_COUNTS = 0.02

/** Deletes the oldest keys of a caller that has more than `MOST_IDEMPOTENCY_KEYS`. Skips those that another transaction is deleting. */
const forgetOldestKeys = async (db: Db, callerHash: string): Promise<void> => {
  if (Math.random() >= SHARE_THAT_COUNTS) return
  await db`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys
      where caller_hash = ${callerHash} and created_at <= (
        select created_at from idempotency_keys where caller_hash = ${callerHash}
        order by created_at desc offset ${MOST_IDEMPOTENCY_KEYS} limit 1)
      for update skip locked))`
}

/** Stores the response to a request that is tied to a scrape job. */
export const keepIdempotentAnswer = async (
  db: Db,
  { callerHash, idempotencyKey }: IdempotentRequest,
  { status, body }: KeptAnswer,
): Promise<void> => {
  await db`
    update idempotency_keys set status = ${status}, body = ${body}
    where caller_hash = ${callerHash} and idempotency_key = ${idempotencyKey} and job_id is not null and status is null`
}

/** Deletes at most `limit` expired responses. Returns how many. */
export const deleteOldIdempotencyKeys = async (db: Db, limit: number): Promise<number> => {
  const deleted = await db`delete from idempotency_keys where ctid in (
    select ctid from idempotency_keys where created_at < now() - ${KEPT}::interval limit ${limit})`
  return deleted.count
}
