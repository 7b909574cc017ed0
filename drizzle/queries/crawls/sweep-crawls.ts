import type { Db } from '../../../core/postgres/database'
import { cancelledWorkFields } from '../work/cancel-work'
import { CRAWL, crawlColumns, crawlOf, isOfSourceAsItIs } from './crawl-work'

/**
 * Ends crawls that must not continue: the scheduler started the crawl and its source was deactivated later, or the source's vendor,
 * URL or configuration has changed. A changed source is crawled again from the start.
 */
export const sweepCrawls = async (db: Db): Promise<void> => {
  const message = db`case reason when 'changed' then 'the source was changed: a new crawl starts from the first page' else 'the source was deactivated' end`
  await db`
    with judged as (
      select w.id,
        case when not (${isOfSourceAsItIs(db)}) then 'changed' when w.requested_by is null and not s.active then 'off' end as reason
      from work w join sources s using (source) where w.kind = ${CRAWL} and w.status in ('queued', 'running')
    ), ended as (
      update work w set ${cancelledWorkFields(db, message)}
      from judged where w.id = judged.id and reason is not null and w.status in ('queued', 'running')
      returning w.source, w.requested_by, reason
    )
    insert into work (${crawlColumns(db)})
    select ${crawlOf(db, db`ended.requested_by`)}
    from ended join sources s using (source) where reason = 'changed' and (s.active or ended.requested_by is not null)`
}
