import type { Static, TObject } from '@sinclair/typebox'
import type { Db, Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { lockSourceTurns, waitsForLoad } from '../loads/source-turns'
import { isProbeDue } from '../tuner/take-probe'
import type { WorkKind } from './kinds/work-kind'

/*
 * A claim starts an attempt at work and leases the work to it until `lease_expires_at`. The process that runs the attempt extends the lease
 * (`holdWork`). Work with an expired lease is lost and is claimed again. The attempt's number fences what the attempt writes.
 *
 * Any process may claim most kinds of work, with `claimWork`. Some kinds write where only one process may write: the tile store and the
 * search index. Only the leader of that duty (core/postgres/leader/leader.ts) claims those, with `claimLedWork`.
 */

/** Identifies one attempt at work. Its writes take effect only while it is the current attempt. */
export interface WorkAttempt {
  id: string
  attempt: number
}

/** Work that this caller holds as long as its attempt is the current one. */
export interface ClaimedWork extends WorkAttempt {
  kind: string
  subject: string | null
  source: string | null
  vendor: string | null
  priority: number
  payload: Record<string, unknown>
  /** Failed attempts since the last progress, without this one. */
  failures: number
  cursor: string | null
  done: number
  total: number | null
  /** Null: nobody requested it; it was due. */
  requestedBy: string | null
}

/** The payload of work of this kind. It has the schema of the kind, because `orderWork` checks it. */
export const payloadOf = <Payload extends TObject>(
  _: WorkKind<Payload>,
  { payload }: Pick<ClaimedWork, 'payload'>,
): Static<Payload> => payload as Static<Payload>

/** Whether `work w` is queued and due, or was lost. */
const isDue = (db: Db) => db`w.status in ('queued', 'running')
  and (w.status = 'queued' and w.not_before <= now() or w.status = 'running' and w.lease_expires_at < now())`

/** Those of the kinds that have due or lost work. It may still have to wait, which only a claim finds out. */
export const listDueKinds = async (db: Db, kinds: readonly string[]): Promise<string[]> => {
  const rows = await db<{ kind: string }[]>`
    select k.kind from unnest(${[...kinds]}::text[]) as k (kind)
    where exists (select from work w where w.kind = k.kind and ${isDue(db)})`
  return rows.map(({ kind }) => kind)
}

/**
 * Claims up to `limit` pieces of queued work of a kind, or the work with `id`, for `leaseMs`: the highest priority first, then the oldest.
 * `isUrgent`: only work with a priority above 0.
 * Also claims work with an expired lease; the lost attempt counts as a failure. Work with an ordering key waits until older work with
 * that key has ended. Work that sends requests to a vendor's portals is claimed one piece at a time, only for one of `vendors`, only up to
 * the vendor's target concurrency, and not while it is paused; work that has failed gives way to other work of its kind, because portals
 * that stall hold their place until the attempt fails. While its breaker is open, only when a probe is due; the claim uses up the
 * probe. A crawl waits for loads of its source.
 */
export const claimWork = (
  sql: Sql,
  {
    kind,
    vendors = [],
    id = null,
    isUrgent = false,
    leaseMs,
    limit = 1,
  }: {
    kind: string
    vendors?: readonly string[]
    id?: string | null
    isUrgent?: boolean
    leaseMs: number
    limit?: number
  },
): Promise<ClaimedWork[]> => {
  const claim = (db: Db) => db<ClaimedWork[]>`
    with next as (
      select w.id, w.vendor, w.status = 'running' as was_lost
      from work w left join vendor_concurrency c using (vendor)
      where w.kind = ${kind} ${id === null ? db`` : db`and w.id = ${id}`} and ${isDue(db)}
        ${isUrgent ? db`and w.priority > 0` : db``}
        and (w.ordering_key is null or not exists (
          select from work o
          where o.kind = w.kind and o.ordering_key = w.ordering_key and o.id < w.id and o.status in ('queued', 'running')
        ))
        and (w.vendor is null or w.vendor = any(${[...vendors]}) and (c.breaker_opened_at is null or ${isProbeDue(db)})
          and not is_paused(c.paused_at, c.paused_until) and (
          select count(*) from work r
          where r.vendor = w.vendor and r.status = 'running' and r.lease_expires_at >= now()
        ) < coalesce(c.target_concurrency, 1))
        and not (${waitsForLoad(db)})
      order by w.priority desc, ${vendors.length > 0 ? db`w.failures,` : db``} w.id limit ${vendors.length > 0 ? 1 : limit} for update of w skip locked
    ), probes as (
      update vendor_concurrency c set probed_at = now() from next where c.vendor = next.vendor and c.breaker_opened_at is not null
    )
    update work w set status = 'running', attempts = attempts + 1, failures = failures + was_lost::int,
      lease_expires_at = now() + ${leaseMs} * interval '1 ms', started_at = coalesce(started_at, clock_timestamp())
    from next where w.id = next.id
    returning w.id, w.attempts as attempt, w.kind, w.subject, w.source, w.vendor, w.priority, w.payload, w.failures, w.cursor,
      w.done::float8, w.total::float8, w.requested_by as "requestedBy"`
  if (vendors.length === 0) return claim(sql)
  return sql.begin(async (tx) => {
    // Claims run one after another: two at the same time would both count the same free slot.
    await lockSourceTurns(tx)
    return claim(tx)
  }) as Promise<ClaimedWork[]>
}

/** As long as a lead, so that a lost leader loses both within the same time. */
export const LED_LEASE_MS = 6_000

/**
 * Claims the work of a kind and subject for the leader of its duty, and orders it first if there is none. It starts from the beginning.
 * A new leader does not wait for the previous one's lease, because that one can no longer write: the caller runs this under its lead
 * (`Lead.begin`). Work that nobody requested gets the caller's `payload`.
 *
 * @throws ServiceError `conflict` when work with another payload is requested
 */
export const claimLedWork = async (
  db: Db,
  {
    kind,
    subject,
    payload = {},
    total = null,
  }: { kind: string; subject: string; payload?: Record<string, unknown>; total?: number | null },
): Promise<WorkAttempt & { requestedBy: string | null }> => {
  const [row] = await db<(WorkAttempt & { requestedBy: string | null })[]>`
    insert into work as live (kind, subject, payload, status, attempts, started_at, total, lease_expires_at)
    values (${kind}, ${subject}, ${JSON.stringify(payload)}::text::jsonb, 'running', 1, clock_timestamp(), ${total},
      now() + ${LED_LEASE_MS} * interval '1 ms')
    on conflict (kind, subject) where status in ('queued', 'running') do update
      set status = 'running', attempts = live.attempts + 1, started_at = clock_timestamp(), done = 0, total = excluded.total, result = '{}',
        lease_expires_at = excluded.lease_expires_at, payload = excluded.payload
      where live.requested_by is null or live.payload = excluded.payload
    returning id, attempts as attempt, requested_by as "requestedBy"`
  if (row === undefined) {
    const problem = `work of kind ${kind} on ${subject} is requested with other settings: wait until it ends, or cancel it`
    throw new ServiceError('conflict', problem)
  }
  return row
}
