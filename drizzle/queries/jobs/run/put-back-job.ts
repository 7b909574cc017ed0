import type { Db } from '../../../../core/postgres/database'

/** Marks a dispatched job that cannot start now as not dispatched. It is dispatched again after a second. */
export const putBackJob = async (db: Db, { id, attempts }: { id: string; attempts: number }): Promise<void> => {
  await db`
    update scrape_jobs set dispatched_at = null, not_before = greatest(not_before, now() + interval '1 second')
    where id = ${id} and attempts = ${attempts} and status = 'queued'`
}
