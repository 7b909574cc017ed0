import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'
import { hasLeader } from '../../../core/postgres/leaders'
import type { WorkAttempt } from './claim-work'

/*
 * Some work is done only by the leader of a duty: tile builds of a layer, and work on the search index. The leader's lease
 * (core/postgres/leaders.ts) is the lease of this work, so `claimWork` does not return it. All writes below except requests must go
 * through `Lead.begin`.
 */

export interface LedWork {
  kind: string
  subject: string
}

const LOST = 'the process that ran it stopped'

/** Requests work from the leader of a duty. Returns false if it is already requested or running. */
export const requestLedWork = async (
  db: Db,
  { kind, subject }: LedWork,
  { duty, requestedBy }: { duty: string; requestedBy: string },
): Promise<boolean> => {
  // The leader that ran it is gone, and the work is requested again.
  await db`
    update work set status = 'error', error_code = 'worker_lost', error_message = ${LOST}, finished_at = clock_timestamp()
    where kind = ${kind} and subject = ${subject} and status = 'running' and not (${hasLeader(db, duty)})`
  const rows = await db`
    with requested as (
      insert into work (kind, subject, requested_by) values (${kind}, ${subject}, ${requestedBy})
      on conflict (kind, subject) where status in ('queued', 'running') do nothing returning kind
    )
    select pg_notify(${CHANNELS.workOrdered}, kind) from requested`
  return rows.length > 0
}

/** Starts work, requested or not. If an earlier leader left the work running, this is its next attempt. */
export const beginLedWork = async (
  db: Db,
  { kind, subject }: LedWork,
  { total = null }: { total?: number | null } = {},
): Promise<WorkAttempt & { requestedBy: string | null }> => {
  const [row] = await db<(WorkAttempt & { requestedBy: string | null })[]>`
    insert into work as live (kind, subject, status, attempts, started_at, total)
    values (${kind}, ${subject}, 'running', 1, clock_timestamp(), ${total})
    on conflict (kind, subject) where status in ('queued', 'running') do update
      set status = 'running', attempts = live.attempts + 1, started_at = clock_timestamp(), done = 0, total = excluded.total
    returning id, attempts as attempt, requested_by as "requestedBy"`
  if (row === undefined) throw new Error(`no work of kind ${kind} has begun`)
  return row
}

/** Ends work that earlier leaders left running. Work that somebody requested is queued again instead. */
export const abandonLedWork = async (
  db: Db,
  { kinds, subject }: { kinds: readonly string[]; subject: string },
): Promise<void> => {
  await db`
    update work set status = (case when requested_by is null then 'error' else 'queued' end)::job_status,
      error_code = case when requested_by is null then 'worker_lost' end, error_message = case when requested_by is null then ${LOST} end,
      finished_at = case when requested_by is null then clock_timestamp() end
    where kind = any(${[...kinds]}::text[]) and subject = ${subject} and status = 'running'`
}
