import type { Sql } from '../../../core/postgres/database'

/** Identifies one attempt at work. Its writes take effect only while it is the current attempt. */
export interface WorkAttempt {
  id: string
  attempt: number
}

/** Work that this caller holds as long as its attempt is the current one. */
export interface ClaimedWork extends WorkAttempt {
  kind: string
  subject: string | null
  source: string | null
  vendor: string | null
  payload: Record<string, unknown>
  /** Failed attempts since the last progress, without this one. */
  failures: number
  cursor: string | null
  done: number
  total: number | null
}

/**
 * Claims the oldest queued work of a kind, or the work with `id`, for `leaseMs`. Also claims work with an expired lease; the lost attempt
 * counts as a failure. Work that sends requests to a vendor's portals is claimed only for one of `vendors`, only up to the vendor's
 * target concurrency, and not while its breaker is open. Returns null if there is nothing to claim.
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
    // Claims run one after another: two at the same time would both count the same free slot.
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
