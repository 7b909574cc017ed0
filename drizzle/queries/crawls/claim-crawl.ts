import type { Sql } from '../../../core/postgres/database'

/** A crawl that is this caller's, as long as its try is the current one. */
export interface ClaimedCrawl {
  id: string
  attempt: number
  /** Tries before this one that failed since the last page. */
  failures: number
  source: string
  vendor: string
  baseUrl: string
  state: string
  countyName: string
  vendorConfig: Record<string, unknown>
  cursor: string | null
  /** Features or rows of the pages that are stored. */
  records: number
}

/**
 * Takes the crawl that waits longest, or the one of that `id`, for `leaseMs`; one whose worker was lost too, which counts as a failed
 * try. A vendor has as many at once as it may have jobs, and none while its breaker is open. Null: there is none to take.
 */
export const claimCrawl = (
  sql: Sql,
  { vendors, id, leaseMs }: { vendors: readonly string[]; id: string | null; leaseMs: number },
): Promise<ClaimedCrawl | null> =>
  sql.begin(async (tx) => {
    // One at a time: two that count at once would both find the same place free.
    await tx`select pg_advisory_xact_lock(hashtext('claim_crawl'))`
    const [row] = await tx<ClaimedCrawl[]>`
      with next as (
        select c.id, c.status = 'running' as was_lost
        from crawls c left join vendor_concurrency v using (vendor)
        where c.vendor = any(${[...vendors]}) and c.id = coalesce(${id}, c.id) and v.breaker_opened_at is null
          and (c.status = 'queued' and c.not_before <= now() or c.status = 'running' and c.lease_expires_at < now())
          and (
            select count(*) from crawls r
            where r.vendor = c.vendor and r.status = 'running' and r.lease_expires_at >= now()
          ) < coalesce(v.target_concurrency, 1)
        order by c.id limit 1 for update of c
      )
      update crawls c set status = 'running', attempts = attempts + 1, failures = failures + was_lost::int,
        lease_expires_at = now() + ${leaseMs} * interval '1 ms', started_at = coalesce(started_at, clock_timestamp())
      from next, sources s where c.id = next.id and s.source = c.source
      returning c.id, c.attempts as attempt, c.failures, c.source, c.vendor, c.base_url as "baseUrl", s.state,
        s.county_name as "countyName", c.vendor_config as "vendorConfig", c.cursor,
        c.records::float8`
    return row ?? null
  }) as Promise<ClaimedCrawl | null>
