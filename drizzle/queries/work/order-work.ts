import type { Static, TObject } from '@sinclair/typebox'
import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'
import { findProblem } from '../../../core/schema/schema-problem'
import type { WorkKind } from './kinds/work-kind'

export interface WorkOrder<Payload extends TObject> {
  kind: WorkKind<Payload>
  /** Work with the same kind and subject is queued or running at most once. Null: no such limit. */
  subject: string | null
  source?: string | null
  vendor?: string | null
  payload: Static<Payload>
  /** The result before the first attempt, for work whose events show its result. */
  result?: Record<string, unknown>
  /** Null: nobody requested the work; it was due. */
  requestedBy: string | null
  /** Higher is claimed first. Default: 0. */
  priority?: number
  /** Work of a kind and ordering key is done one piece after the other, oldest first. */
  orderingKey?: string | null
  /** When it may begin. Default: now. */
  notBefore?: Date | null
}

/**
 * Queues work. If work of this kind and subject is already queued or running, returns that work instead; if it had no requester, it
 * gets this one. `isNew`: this call created the work. Throws if the payload does not match the kind's schema; that is a bug.
 */
export const orderWork = async <Payload extends TObject>(
  db: Db,
  { kind: { name, payload: schema }, payload, ...order }: WorkOrder<Payload>,
): Promise<{ id: string; isNew: boolean }> => {
  const { subject, source = null, vendor = null, result = {}, requestedBy } = order
  const { priority = 0, orderingKey = null, notBefore = null } = order
  const problem = findProblem(schema, payload, 'payload')
  if (problem !== null) throw new Error(`work of kind ${name} cannot be queued: ${problem}`)
  const [row] = await db<{ id: string; isNew: boolean }[]>`
    insert into work as live (kind, subject, source, vendor, payload, result, requested_by, priority, ordering_key, not_before)
    values (${name}, ${subject}, ${source}, ${vendor}, ${JSON.stringify(payload)}::text::jsonb,
      ${JSON.stringify(result)}::text::jsonb, ${requestedBy}, ${priority}, ${orderingKey},
      coalesce(${notBefore}::timestamptz, date_trunc('milliseconds', now())))
    on conflict (kind, subject) where status in ('queued', 'running') do update
      set requested_by = coalesce(live.requested_by, excluded.requested_by)
    returning id, old.id is null as "isNew"`
  if (row === undefined) throw new Error(`no work of kind ${name} was queued`)
  await db`select pg_notify(${CHANNELS.workOrdered}, ${name})`
  return row
}
