import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'

export interface WorkOrder {
  kind: string
  /** Work with the same kind and subject is queued or running at most once. Null: no such limit. */
  subject: string | null
  source?: string | null
  vendor?: string | null
  payload?: Record<string, unknown>
  /** The result before the first attempt, for work whose events show its result. */
  result?: Record<string, unknown>
  /** Null: nobody requested the work; it was due. */
  requestedBy: string | null
}

/**
 * Queues work. If work of this kind and subject is already queued or running, returns that work instead; if it had no requester, it gets
 * this one. `isNew`: the work was not there before.
 */
export const orderWork = async (
  db: Db,
  { kind, subject, source = null, vendor = null, payload = {}, result = {}, requestedBy }: WorkOrder,
): Promise<{ id: string; isNew: boolean }> => {
  const [row] = await db<{ id: string; isNew: boolean }[]>`
    insert into work as live (kind, subject, source, vendor, payload, result, requested_by)
    values (${kind}, ${subject}, ${source}, ${vendor}, ${JSON.stringify(payload)}::text::jsonb,
      ${JSON.stringify(result)}::text::jsonb, ${requestedBy})
    on conflict (kind, subject) where status in ('queued', 'running') do update
      set requested_by = coalesce(live.requested_by, excluded.requested_by)
    returning id, old.id is null as "isNew"`
  if (row === undefined) throw new Error(`no work of kind ${kind} was queued`)
  await db`select pg_notify(${CHANNELS.workOrdered}, ${kind})`
  return row
}
