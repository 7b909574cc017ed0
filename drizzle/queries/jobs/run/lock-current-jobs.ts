import type { Transaction } from '../../../../core/postgres/database'

/**
 * Returns the attempts that are still current in running jobs, and locks their jobs until the transaction ends. Nobody can cancel,
 * requeue or end a job before then.
 */
export const lockCurrentJobs = (
  tx: Transaction,
  running: readonly { id: string; attempt: number }[],
): Promise<{ id: string; attempt: number }[]> => tx<{ id: string; attempt: number }[]>`
  select j.id, j.attempts as attempt
  from unnest(${running.map(({ id }) => id)}::uuid[], ${running.map(({ attempt }) => attempt)}::int[]) as mine (id, attempts)
  join scrape_jobs j using (id, attempts)
  where j.status = 'running' order by j.id for update of j`
