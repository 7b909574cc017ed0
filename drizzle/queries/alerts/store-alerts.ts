import type { AlertRuleName } from '../../../core/alerts/alert-rules'
import { CHANNELS } from '../../../core/channels'
import type { Db, Transaction } from '../../../core/postgres/database'
import { isSending } from '../watches/is-sending'
import { queueTurns } from '../watches/queue-turns'
import { WORK_KINDS } from '../work/work-kinds'

/** The measured value of a subject, and whether it raises an alert or only keeps a raised one. */
export interface JudgedSubject {
  subject: string
  value: number
  text: string
  isRaised: boolean
}

/** The result of a rule, in one minute. */
export interface Judgment {
  rule: AlertRuleName
  threshold: number | null
  /** The subjects that raise or keep an alert. Alerts of all others end. */
  subjects: readonly JudgedSubject[]
  /** An alert ends when its value has been low enough for this long. */
  endsAfterMs: number
}

/** An alert as callers see it. `a` is a row of `alerts`. */
export const alertFields = (db: Db) => db`
  a.id, a.rule, a.subject, case when a.resolved_at is null then 'raised' else 'resolved' end as state, a.text, a.value, a.threshold,
  iso_utc(a.raised_at) as raised_at, iso_utc(a.resolved_at) as resolved_at`

/** An alert whose beginning or end is sent to webhooks. */
export interface SentAlert {
  subject: string
  /** As JSON text. */
  body: string
}

/**
 * Stores the result of a rule: raises, updates and ends alerts. Returns the alerts whose beginning or end must be sent now. The
 * beginning of a silenced alert is sent when the silence ends, if the alert is still raised then. Its end is sent only if its beginning
 * was.
 */
export const storeAlerts = async (
  tx: Transaction,
  judgment: Judgment,
): Promise<{ raised: SentAlert[]; resolved: SentAlert[] }> => {
  const { rule, endsAfterMs } = judgment
  await raiseAlerts(tx, judgment)
  const resolved = await tx<SentAlert[]>`
    with ended as (
      update alerts set resolved_at = now()
      where rule = ${rule} and resolved_at is null and clear_since <= now() - ${endsAfterMs} * interval '1 ms' returning *
    )
    select a.subject, row_to_json(row)::text as body from ended a cross join lateral (select ${alertFields(tx)}) row
    where a.told_at is not null order by a.id`
  const raised = await tx<SentAlert[]>`
    with told as (
      update alerts set told_at = now()
      where rule = ${rule} and resolved_at is null and told_at is null and coalesce(silenced_until, '-infinity') <= now() returning *
    )
    select a.subject, row_to_json(row)::text as body from told a cross join lateral (select ${alertFields(tx)}) row order by a.id`
  return { raised, resolved }
}

/** Raises and updates alerts, and notes the time when others became clear. */
export const raiseAlerts = (db: Db, { rule, threshold, subjects }: Judgment) => db`
  with judged as (
    select * from json_to_recordset(${JSON.stringify(subjects)}::text::json)
      as j (subject text, value float8, text text, "isRaised" boolean)
  ), kept as (
    update alerts a set value = j.value, text = j.text, clear_since = null from judged j
    where a.rule = ${rule} and a.subject = j.subject and a.resolved_at is null
      and (a.clear_since is not null or (a.value, a.text) is distinct from (j.value, j.text))
  ), cleared as (
    -- A time in the future is from before the clock was set back.
    update alerts a set clear_since = now()
    where a.rule = ${rule} and a.resolved_at is null and (a.clear_since is null or a.clear_since > now())
      and a.subject not in (select subject from judged)
  )
  insert into alerts (rule, subject, value, text, threshold, silenced_until, silenced_by, silence_reason)
  select ${rule}, j.subject, j.value, j.text, ${threshold}::float8, last.silenced_until, last.silenced_by, last.silence_reason
  from judged j left join lateral (
    select * from (
      select a.silenced_until, a.silenced_by, a.silence_reason from alerts a
      -- The range has only one subject. With equality, PostgreSQL would expect each subject to have alerts, and would walk through all of
      -- them from their end, once for each subject without any.
      where a.rule = ${rule} and a.subject >= j.subject and a.subject <= j.subject order by a.rule desc, a.subject desc, a.id desc limit 1
    ) newest where silenced_until > now()
  ) last on true
  where j."isRaised"
  on conflict (rule, subject) where resolved_at is null do nothing`

export interface AlertMessage {
  rule: AlertRuleName
  state: 'raised' | 'resolved'
  count: number
  /** The `data` of the requests, without the id of the watch: a JSON object. */
  body: string
}

/** Stores a message, and a delivery of it for each active watch of alerts. The queues of their receivers get work. */
export const tellAlerts = async (tx: Transaction, { rule, state, count, body }: AlertMessage): Promise<void> => {
  await tx`
    with message as (
      insert into alert_messages (rule, state, count, body) values (${rule}, ${state}, ${count}, ${body}::text::json) returning id
    ), hearing as (
      select w.id, w.receiver, w.held_until, w.failures, w.last_delivered_at from watches w where w.kind = 'alerts' and ${isSending(tx)}
    ), stored as (
      insert into webhook_deliveries (watch_id, alert_message, alert_rule, status, finished_at)
      select w.id, message.id, ${rule}, case when w.receiver is null then 'recorded' else 'pending' end,
        case when w.receiver is null then now() end
      from hearing w cross join message
    )
    ${queueTurns(tx, tx`hearing`)}`
  await tx`select pg_notify(${CHANNELS.workOrdered}, ${WORK_KINDS.webhooks.name})`
}

/** Deletes alerts and messages that are older than `days`, at most `limit` of each. Returns how many. */
export const deleteOldAlerts = async (db: Db, { days, limit }: { days: number; limit: number }): Promise<number> => {
  const { count: alerts } = await db`
    delete from alerts where id in (
      select id from alerts where resolved_at < now() - ${days} * interval '1 day' order by resolved_at limit ${limit}
    )`
  const { count: messages } = await db`
    delete from alert_messages where id in (
      select id from alert_messages where created_at < now() - ${days} * interval '1 day' order by id limit ${limit}
    )`
  return alerts + messages
}
