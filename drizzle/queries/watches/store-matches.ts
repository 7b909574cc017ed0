import { WATCH_BOUNDS } from '../../../core/bounds'
import { CHANNELS } from '../../../core/channels'
import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { WORK_KINDS } from '../work/work-kinds'
import { isSending } from './is-sending'
import type { Match } from './list-matches'
import { queueTurns } from './queue-turns'

/**
 * Moves the matcher's position from `after` to `upTo`. False: it was not at `after`. The row stays locked until the transaction ends.
 */
export const advanceWatchProgress = async (
  tx: Transaction,
  { after, upTo }: { after: number; upTo: number },
): Promise<boolean> => {
  const { count } = await tx`update watch_progress set version = ${upTo} where version = ${after}`
  return count === 1
}

/**
 * Stores a delivery and an event for each match. Watches that were deleted meanwhile are left out. A delivery is pending if the watch
 * has a webhook; then work is queued for its receiver. At most `mostPending` deliveries of a watch wait, and the oldest `mostOfOne` watches of
 * an owner get the same change. Other changes are skipped, and the watch records how many and from which version on. Returns the number of
 * deliveries and of skipped changes.
 */
export const storeMatches = async (
  tx: Transaction,
  matches: readonly Match[],
  {
    mostPending = WATCH_BOUNDS.pending,
    mostOfOne = WATCH_BOUNDS.ofOneChange,
  }: { mostPending?: number; mostOfOne?: number } = {},
): Promise<{ stored: number; missed: number }> => {
  const rows = await tx<{ stored: number; missed: number }[]>`
    with named as (
      select m.version, m."watchId" from json_to_recordset(${JSON.stringify(matches)}::text::json) as m (version bigint, "watchId" uuid)
    ), matching as materialized (
      select w.id, w.owner, case when w.receiver is not null then (
        select count(*) from (select from webhook_deliveries d where d.watch_id = w.id and d.status = 'pending' limit ${mostPending}) p
      ) end as pending
      from watches w where w.id in (select "watchId" from named)
    ), placed as materialized (
      select n.*, row_number() over (partition by n.version, w.owner order by w.id) > ${mostOfOne}
        or coalesce(w.pending + row_number() over (partition by w.id order by n.version) > ${mostPending}, false) as is_missed
      from named n join matching w on w.id = n."watchId"
    ), missed as (
      update watches w set missed = w.missed + p.count, missed_after = coalesce(w.missed_after, p.version - 1)
      from (select "watchId", count(*) as count, min(version) as version from placed where is_missed group by 1) p
      where w.id = p."watchId" returning p.count
    ), matched as (
      select w.id, w.owner, w.receiver, w.held_until, w.failures, w.last_delivered_at, c.version, c.at, c.parcel_id, c.source, c.source_parcel_id, c.action, c.changes
      from placed m join parcel_changes c on c.version = m.version join watches w on w.id = m."watchId"
      where not m.is_missed
    ), stored as (
      insert into webhook_deliveries (watch_id, version, changed_at, parcel_id, status, finished_at)
        select id, version, at, parcel_id, case when receiver is null then 'recorded' else 'pending' end,
          case when receiver is null then now() end
        from matched order by version
        on conflict do nothing returning id, watch_id, version
    ), told as (
      insert into events (kind, watchers, payload)
        select 'watch', array[m.owner], jsonb_build_object(
          'watch_id', m.id, 'delivery_id', s.id, 'version', m.version, 'source', m.source, 'source_parcel_id', m.source_parcel_id,
          'action', m.action, 'fields', array(select changed_fields(m.changes)))
        from stored s join matched m on m.id = s.watch_id and m.version = s.version
        order by s.version
    ), called as (${queueTurns(tx, tx`matched`)})
    select (select count(*)::int from stored) as stored, (select coalesce(sum(count), 0)::int from missed) as missed`
  await tx`select pg_notify(${CHANNELS.workOrdered}, ${WORK_KINDS.webhooks.name})`
  return onlyRow(rows)
}

/** Queues work for a receiver now. */
export const callReceiver = async (db: Db, receiver: string): Promise<void> => {
  await db`
    with called as (
      insert into work as live (kind, subject) values (${WORK_KINDS.webhooks.name}, ${receiver})
        on conflict (kind, subject) where status in ('queued', 'running') do update
          set not_before = least(live.not_before, excluded.not_before)
    )
    select pg_notify(${CHANNELS.workOrdered}, ${WORK_KINDS.webhooks.name})`
}

/** Queues work for receivers that have deliveries to send but no work, for example because it was cancelled. */
export const callForgottenReceivers = async (db: Db): Promise<void> => {
  await db`
    insert into work (kind, subject)
    select distinct ${WORK_KINDS.webhooks.name}, w.receiver from watches w
    where w.receiver is not null and ${isSending(db)}
      and exists (select from webhook_deliveries d where d.watch_id = w.id and d.status = 'pending')
      and not exists (
        select from work o where o.kind = ${WORK_KINDS.webhooks.name} and o.subject = w.receiver and o.status in ('queued', 'running')
      )
    on conflict do nothing`
}

export interface DeliveryFigures {
  pending: number
  missed: number
}

/** The pending deliveries of all watches, and the skipped changes. */
export const readDeliveryFigures = async (db: Db): Promise<DeliveryFigures> => {
  const rows = await db<DeliveryFigures[]>`
    select (select count(*) from webhook_deliveries where status = 'pending')::float8 as pending,
      (select coalesce(sum(missed), 0) from watches)::float8 as missed`
  return onlyRow(rows)
}
