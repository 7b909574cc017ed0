import type { Db } from '../../../core/postgres/database'

/**
 * Ends crawls that nobody should go on with: of a source that was switched off (if the scheduler began it) or that is now asked
 * elsewhere or otherwise, and those whose workers were lost `mostFailures` times without a page. What was changed begins anew.
 */
export const sweepCrawls = async (db: Db, { mostFailures }: { mostFailures: number }): Promise<void> => {
  await db`
    with judged as (
      select c.id,
        case
          when (c.vendor, c.base_url, c.vendor_config) is distinct from (s.vendor, s.base_url, s.vendor_config) then 'changed'
          when c.requested_by is null and not s.active then 'off'
          when c.status = 'running' and c.lease_expires_at < now() and c.failures + 1 >= ${mostFailures} then 'lost'
        end as reason
      from crawls c join sources s using (source) where c.status in ('queued', 'running')
    ), ended as (
      update crawls c set status = 'error', lease_expires_at = null, finished_at = greatest(clock_timestamp(), c.started_at),
        error_code = case reason when 'lost' then 'worker_lost' else 'cancelled' end,
        error_message = case reason when 'changed' then 'the source was changed: the crawl began anew'
          when 'off' then 'the source was switched off' else 'its worker was lost ' || c.failures + 1 || ' times without a page' end
      from judged where c.id = judged.id and reason is not null and c.status in ('queued', 'running')
      returning c.source, c.requested_by, reason
    )
    insert into crawls (source, vendor, base_url, vendor_config, requested_by)
    select s.source, s.vendor, s.base_url, s.vendor_config, ended.requested_by
    from ended join sources s using (source) where reason = 'changed' and (s.active or ended.requested_by is not null)`
}
