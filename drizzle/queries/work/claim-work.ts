import type { Sql } from '../../../core/postgres/database'

/** Names one try of work. What the try writes takes effect only while it is the current one. */
export interface WorkAttempt {
  id: string
  attempt: number
}

/** Work that is this caller's, as long as its try is the current one. */
export interface ClaimedWork extends WorkAttempt {
  kind: string
  subject: string | null
  source: string | null
  vendor: string | null
  payload: Record<string, unknown>
  /** Tries before this one that failed since the last progress. */
  failures: number
  cursor: string | null
  done: number
  total: number | null
}

/**
 * Claims the oldest work of a kind that is queued, or the one with `id`, for `leaseMs`. Work whose worker was lost is claimed too; that
 * counts as a failed try. Work that loads a vendor's portals is claimed for one of `vendors` only, as often at a time as the vendor's
 * target allows, and not while its breaker is open. Null: there is none to claim.
 */
export const claimWork = (
  sql: Sql,
  {
    kind,
    vendors = [],
    id = null,
    leaseMs,
  }: { kind: string; vendors?: readonly string[]; id?: string | null; leaseMs: number },
): Promise<ClaimedWork | null> =>
  sql.begin(async (tx) => {
    // One at a time: two that count together would both find the same place free.
    await tx`select pg_advisory_xact_lock(hashtext('claim_work'))`
    const [row] = await tx<ClaimedWork[]>`
      with next as (
        select w.id, w.status = 'running' as was_lost
        from work w left join vendor_concurrency v using (vendor)
        where w.kind = ${kind} and w.id = coalesce(${id}, w.id)
          and (w.status = 'queued' and w.not_before <= now() or w.status = 'running' and w.lease_expires_at < now())
          and (w.vendor is null or w.vendor = any(${[...vendors]}) and v.breaker_opened_at is null and (
            select count(*) from work r
            where r.vendor = w.vendor and r.status = 'running' and r.lease_expires_at >= now()
          ) < coalesce(v.target_concurrency, 1))
        order by w.id limit 1 for update of w
      )
      update work w set status = 'running', attempts = attempts + 1, failures = failures + was_lost::int,
        lease_expires_at = now() + ${leaseMs} * interval '1 ms', started_at = coalesce(started_at, clock_timestamp())
      from next where w.id = next.id
      returning w.id, w.attempts as attempt, w.kind, w.subject, w.source, w.vendor, w.payload, w.failures, w.cursor,
        w.done::float8, w.total::float8`
    return row ?? null
  }) as Promise<ClaimedWork | null>
