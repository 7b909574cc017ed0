import type { Db } from '../../../../core/postgres/database'

/**
 * Extends the leases of attempts. Returns the ids of attempts that are no longer the current one of a running job: the job was
 * cancelled, or another worker has it. Locked rows are skipped, because they are about to end.
 */
export const extendLeases = async (
  db: Db,
  running: readonly { id: string; attempt: number }[],
  leaseMs: number,
): Promise<string[]> => {
  const rows = await db<{ id: string }[]>`
    with mine as (
      select * from unnest(${running.map(({ id }) => id)}::uuid[], ${running.map(({ attempt }) => attempt)}::int[]) as mine (id, attempts)
    ), held as (
      select j.id from mine join scrape_jobs j using (id, attempts) where j.status = 'running' for update of j skip locked
    ), extended as (
      update scrape_jobs j set lease_expires_at = now() + ${leaseMs} * interval '1 ms' from held where j.id = held.id
    )
    select mine.id from mine left join scrape_jobs j on j.id = mine.id and j.attempts = mine.attempts and j.status = 'running'
    where j.id is null`
  return rows.map(({ id }) => id)
}
