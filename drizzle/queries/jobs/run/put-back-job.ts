import type { Db } from '../../../../core/postgres/database'

/** Has a job that was handed over, and could not be claimed or must not start now, handed over again after a moment. */
export const putBackJob = async (db: Db, { id, attempts }: { id: string; attempts: number }): Promise<void> => {
  await db`
    update scrape_jobs set dispatched_at = null, not_before = greatest(not_before, now() + interval '1 second')
    where id = ${id} and attempts = ${attempts} and status = 'queued'`
}
