import type { Db } from '../../../core/postgres/database'

/** Forgets crawls that ended more than `days` ago. They are few: one a source and cadence. */
export const deleteFinishedCrawls = async (db: Db, { days }: { days: number }): Promise<void> => {
  await db`delete from crawls where status in ('done', 'error') and finished_at < now() - ${days} * interval '1 day'`
}
