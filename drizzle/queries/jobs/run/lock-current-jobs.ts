import type { Transaction } from '../../../../core/postgres/database'

/**
 * Those tries that are still the current ones of running jobs, locked until the transaction ends: what is written in
 * it is written for a job that nobody can cancel, requeue or end meanwhile.
 */
export const lockCurrentJobs = (
  tx: Transaction,
  running: readonly { id: string; attempt: number }[],
): Promise<{ id: string; attempt: number }[]> => tx<{ id: string; attempt: number }[]>`
  select j.id, j.attempts as attempt
  from unnest(${running.map(({ id }) => id)}::uuid[], ${running.map(({ attempt }) => attempt)}::int[]) as mine (id, attempts)
  join scrape_jobs j using (id, attempts)
  where j.status = 'running' order by j.id for update of j`
