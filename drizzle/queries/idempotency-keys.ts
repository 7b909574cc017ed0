import type { Db } from '../database'

/** How long an answer is kept. */
const KEPT = '24 hours'
/** A request that has not ended by then is taken for dead: its process went before it could say so. */
const ABANDONED_AFTER = '2 minutes'

export interface IdempotentRequest {
  callerHash: string
  idempotencyKey: string
  requestHash: string
}

/** What is known of an idempotency key: this request is its first, or an earlier one is under way, or was answered. */
export type IdempotencyClaim =
  | { state: 'first' }
  | { state: 'under_way' | 'other_request' }
  | { state: 'answered'; status: number; body: string }

/** Takes the key for this request, in one statement, unless an earlier one holds it. */
export const claimIdempotencyKey = async (db: Db, request: IdempotentRequest): Promise<IdempotencyClaim> => {
  const { callerHash, idempotencyKey, requestHash } = request
  const [row] = await db<{ first: boolean; request_hash: string; status: number | null; body: string | null }[]>`
    with claimed as (
      insert into idempotency_keys as k (caller_hash, idempotency_key, request_hash)
      values (${callerHash}, ${idempotencyKey}, ${requestHash})
      on conflict (caller_hash, idempotency_key) do update
        set request_hash = excluded.request_hash, status = null, body = null, created_at = now()
        where k.created_at < now() - ${KEPT}::interval
          or (k.status is null and k.created_at < now() - ${ABANDONED_AFTER}::interval)
      returning true as first, request_hash, status, body
    )
    select * from claimed
    union all
    select false, request_hash, status, body from idempotency_keys
    where caller_hash = ${callerHash} and idempotency_key = ${idempotencyKey}
    order by first desc limit 1`
  // The one that held it was released between the two halves of the statement: as good as under way.
  if (row === undefined) return { state: 'under_way' }
  if (row.first) return { state: 'first' }
  if (row.request_hash !== requestHash) return { state: 'other_request' }
  return row.status === null ? { state: 'under_way' } : { state: 'answered', status: row.status, body: row.body ?? '' }
}

export const keepIdempotentAnswer = async (
  db: Db,
  { callerHash, idempotencyKey }: IdempotentRequest,
  answer: { status: number; body: string },
): Promise<void> => {
  await db`update idempotency_keys set status = ${answer.status}, body = ${answer.body}
    where caller_hash = ${callerHash} and idempotency_key = ${idempotencyKey} and status is null`
}

/** A request that failed has done nothing: the next one with its key is a first one again. */
export const releaseIdempotencyKey = async (
  db: Db,
  { callerHash, idempotencyKey }: IdempotentRequest,
): Promise<void> => {
  await db`delete from idempotency_keys
    where caller_hash = ${callerHash} and idempotency_key = ${idempotencyKey} and status is null`
}

/** Removes answers that are no longer kept; at most `limit` of them. Returns how many. */
export const deleteOldIdempotencyKeys = async (db: Db, limit: number): Promise<number> => {
  const deleted = await db`delete from idempotency_keys where ctid in (
    select ctid from idempotency_keys where created_at < now() - ${KEPT}::interval limit ${limit})`
  return deleted.count
}
