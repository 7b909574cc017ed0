import type { Db } from '../../../core/postgres/database'
import type { FINDING_CATEGORIES, SEVERITIES } from '../../schema/values'

type FindingSeverity = (typeof SEVERITIES)[number]
type FindingCategory = (typeof FINDING_CATEGORIES)[number]

/** Which findings to list. `false`: those that nobody dismissed. */
export const DISMISSED = ['false', 'true', 'any'] as const
export type Dismissed = (typeof DISMISSED)[number]

/** The dismissal of finding `f`, if its evidence has not changed since. */
const dismissal = (db: Db) => db`
  from finding_dismissals d
  where d.parcel_id = f.parcel_id and d.rule = f.rule and d.subject = f.subject and d.evidence_hash = md5(f.evidence::text)`

/** SQL that begins with `and` or is empty. */
const isWanted = (db: Db, dismissed: Dismissed) =>
  dismissed === 'any' ? db`` : dismissed === 'true' ? db`and f.is_dismissed` : db`and not f.is_dismissed`

/** The row `finding` as JSON text. It has `dismissed` only if the finding of this `id` was dismissed. */
const withDismissal = (db: Db) => db`
  coalesce(
    (select left(row_to_json(finding)::text, -1) || ',"dismissed":' || json_build_object('at', iso_utc(d.dismissed_at),
      'by', d.dismissed_by, 'reason', d.reason)::text || '}' ${dismissal(db)}),
    row_to_json(finding)::text
  )`

/** A parcel's findings as JSON texts, newest first; null when there is no such parcel. */
export const listFindings = async (
  db: Db,
  key: { source: string; id: string },
  { dismissed, limit }: { dismissed: Dismissed; limit: number },
): Promise<string[] | null> => {
  const rows = await db<{ body: string | null }[]>`
    select finding.body from parcels p left join lateral (
      select f.id, f.generated_at, ${withDismissal(db)} as body
      from findings f cross join lateral (
        select f.id, f.severity, f.category, f.evidence, f.suggested_action, iso_utc(f.generated_at) as generated_at
      ) finding
      where f.parcel_id = p.id ${isWanted(db, dismissed)}
    ) finding on true
    where p.source = ${key.source} and p.source_parcel_id = ${key.id}
    order by finding.generated_at desc, finding.id limit ${limit}`
  return rows.length === 0 ? null : rows.flatMap(({ body }) => body ?? [])
}

export interface FindingFilter {
  dismissed: Dismissed
  severity: FindingSeverity | null
  category: FindingCategory | null
  source: string | null
  /** Id of the last finding on the previous page. */
  after: string | null
  limit: number
}

/** Findings of all listed parcels, newest first, each with its parcel, as JSON texts. Ids grow with time. */
export const listAllFindings = (
  db: Db,
  { dismissed, severity, category, source, after, limit }: FindingFilter,
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select f.id, ${withDismissal(db)} as body from (
    select f.* from findings f join live_parcels p on p.id = f.parcel_id
    where true ${isWanted(db, dismissed)}
      ${after === null ? db`` : db`and f.id < ${after}`}
      ${severity === null ? db`` : db`and f.severity = ${severity}`}
      ${category === null ? db`` : db`and f.category = ${category}`}
      ${source === null ? db`` : db`and p.source = ${source}`}
    order by f.id desc limit ${limit}
  ) f join live_parcels p on p.id = f.parcel_id cross join lateral (
    select f.id, f.severity, f.category, f.evidence, f.suggested_action, iso_utc(f.generated_at) as generated_at,
      p.source, p.source_parcel_id, p.situs_address
  ) finding
  order by f.id desc`

/** One finding with its parcel, as JSON text; null: there is none. */
export const findFinding = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select ${withDismissal(db)} as body from findings f join parcels p on p.id = f.parcel_id cross join lateral (
      select f.id, f.severity, f.category, f.evidence, f.suggested_action, iso_utc(f.generated_at) as generated_at,
        p.source, p.source_parcel_id, p.situs_address
    ) finding
    where f.id = ${id}`
  return row?.body ?? null
}
