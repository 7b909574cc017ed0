import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'

export interface WorkOrder {
  kind: string
  /** At most one work of a kind and subject is queued or running. Null: any number is. */
  subject: string | null
  source?: string | null
  vendor?: string | null
  payload?: Record<string, unknown>
  /** What the work has brought before its first try, if its events show that. */
  result?: Record<string, unknown>
  /** Null: nobody; the work is due. */
  requestedBy: string | null
}

/**
 * Queues work. One of this kind and subject that is queued or running already counts, and then belongs to whoever ordered it first by
 * name. `isNew`: it was queued now.
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
