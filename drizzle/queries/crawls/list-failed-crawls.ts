import type { Db } from '../../../core/postgres/database'
import type { RetryScope } from '../jobs/order/retry-failed-jobs'
import { CRAWL, classOfCrawl, isEndedCrawlOfSource } from './crawl-work'

/** The sources whose last ended crawl failed with `failureClass`. `isLive`: another crawl is queued or running. */
export const listFailedCrawls = (
  db: Db,
  scope: RetryScope,
  failureClass: string,
): Promise<{ source: string; isLive: boolean }[]> => db<{ source: string; isLive: boolean }[]>`
  select s.source, exists (
    select from work live where live.kind = ${CRAWL} and live.subject = s.source and live.status in ('queued', 'running')
  ) as "isLive"
  from sources s cross join lateral (
    select ${classOfCrawl(db)} as class from work w
    where ${isEndedCrawlOfSource(db)} and w.vendor = s.vendor order by w.source desc, w.id desc limit 1
  ) last
  where ${'source' in scope ? db`s.source = ${scope.source}` : db`s.vendor = ${scope.vendor}`} and last.class = ${failureClass}
  order by s.source`
