import type { AlertRuleName } from '../../../core/alerts/alert-rules'
import type { Db } from '../../../core/postgres/database'
import { alertFields } from './store-alerts'

/** An alert with the fields that messages do not contain: when it was sent, and its silence. */
const listedFields = (db: Db) => db`
  ${alertFields(db)}, iso_utc(a.told_at) as told_at,
  iso_utc(case when a.silenced_until > now() then a.silenced_until end) as silenced_until,
  case when a.silenced_until > now() then a.silenced_by end as silenced_by,
  case when a.silenced_until > now() then a.silence_reason end as silence_reason`

/** Alerts as JSON texts, newest first. `after` is the last id of the previous page. */
export const listAlerts = (
  db: Db,
  {
    state,
    rule,
    after,
    limit,
  }: { state: 'raised' | 'resolved' | null; rule: AlertRuleName | null; after: string | null; limit: number },
): Promise<{ id: string; rule: AlertRuleName; subject: string; body: string }[]> => db<
  { id: string; rule: AlertRuleName; subject: string; body: string }[]
>`
  select a.id, a.rule, a.subject, row_to_json(row)::text as body
  from alerts a cross join lateral (select ${listedFields(db)}) row
  where true ${state === null ? db`` : state === 'raised' ? db`and a.resolved_at is null` : db`and a.resolved_at is not null`}
    ${rule === null ? db`` : db`and a.rule = ${rule}`} ${after === null ? db`` : db`and a.id < ${after}`}
  order by a.id desc limit ${limit}`

/**
 * Silences the subject of an alert, or ends its silence (`until` null). Returns the alert as JSON text; null if there is none. Newer
 * alerts of the rule and subject take over the silence, so it is stored in the newest one.
 */
export const silenceAlert = async (
  db: Db,
  id: string,
  { until, reason, actor }: { until: string | null; reason: string | null; actor: string },
): Promise<{ rule: AlertRuleName; subject: string; body: string } | null> => {
  const [row] = await db<{ rule: AlertRuleName; subject: string; body: string }[]>`
    with silenced as (
      update alerts a set silenced_until = ${until}::timestamptz, silenced_by = case when ${until}::timestamptz is null then null else ${actor} end,
        silence_reason = ${reason}
      where a.id in (
        select ${id}::uuid
        union all
        (select newest.id from alerts newest join alerts named on (newest.rule, newest.subject) = (named.rule, named.subject)
          where named.id = ${id} order by newest.id desc limit 1)
      ) returning *
    )
    select a.rule, a.subject, row_to_json(row)::text as body
    from silenced a cross join lateral (select ${listedFields(db)}) row where a.id = ${id}`
  return row ?? null
}

/** An operator's changes to a rule. */
export interface StoredRule {
  rule: string
  threshold: number | null
  active: boolean
  updatedAt: string
  updatedBy: string
}

export const listStoredRules = (db: Db): Promise<StoredRule[]> => db<StoredRule[]>`
  select rule, threshold, active, iso_utc(updated_at) as "updatedAt", updated_by as "updatedBy" from alert_rules`

/** Stores a rule. Undefined fields stay as they are. A threshold of null is the default. */
export const storeRule = async (
  db: Db,
  rule: AlertRuleName,
  { threshold, active, actor }: { threshold?: number | null | undefined; active?: boolean | undefined; actor: string },
): Promise<void> => {
  await db`
    insert into alert_rules as r (rule, threshold, active, updated_by)
    values (${rule}, ${threshold ?? null}::float8, ${active ?? true}, ${actor})
    on conflict (rule) do update set updated_at = now(), updated_by = excluded.updated_by,
      threshold = case when ${threshold !== undefined} then excluded.threshold else r.threshold end,
      active = coalesce(${active ?? null}::boolean, r.active)`
}

/** How many alerts of each rule are raised. */
export interface RaisedCount {
  rule: AlertRuleName
  raised: number
  /** How many of these are silenced. */
  silenced: number
}

export const countRaised = (db: Db): Promise<RaisedCount[]> => db<RaisedCount[]>`
  select rule, count(*)::int as raised, count(*) filter (where silenced_until > now())::int as silenced
  from alerts where resolved_at is null group by rule`
