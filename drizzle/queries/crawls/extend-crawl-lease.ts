import type { Db } from '../../../core/postgres/database'

/** Says that this try still runs. False: it is no longer the current one; somebody has the crawl, or it was ended. */
export const extendCrawlLease = async (
  db: Db,
  { id, attempt }: { id: string; attempt: number },
  leaseMs: number,
): Promise<boolean> => {
  const { count } = await db`
    update crawls set lease_expires_at = now() + ${leaseMs} * interval '1 ms'
    where id = ${id} and attempts = ${attempt} and status = 'running'`
  return count === 1
}
