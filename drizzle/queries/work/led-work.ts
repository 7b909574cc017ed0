import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'
import { hasLeader } from '../../../core/postgres/leaders'
import type { WorkAttempt } from './claim-work'

/*
 * Work of which the leader of a duty does all: tile builds of a layer, work on the search index. The lead is the lease of such work
 * (core/postgres/leaders.ts), so `claimWork` does not hand it out. What is written here goes through `Lead.begin`, except requests.
 */

export interface LedWork {
  kind: string
  subject: string
}

const LOST = 'ended without a word'

/** Requests work from the leader of a duty. False: it is requested or running already. */
export const requestLedWork = async (
  db: Db,
  { kind, subject }: LedWork,
  { duty, requestedBy }: { duty: string; requestedBy: string },
): Promise<boolean> => {
  // The leader that had it is gone, and somebody asks again.
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

/** Begins work, whether somebody requested it or not. What an earlier leader left running goes on as another try. */
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

/** Ends what earlier leaders left running. What somebody requested is queued again. */
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
