import type { Db } from '../../../core/postgres/database'
import type { FINDING_CATEGORIES, SEVERITIES } from '../../schema/findings'

type FindingSeverity = (typeof SEVERITIES)[number]
type FindingCategory = (typeof FINDING_CATEGORIES)[number]

/** A parcel's findings as JSON texts, newest first; null when there is no such parcel. */
export const listFindings = async (
  db: Db,
  key: { source: string; id: string },
  limit: number,
): Promise<string[] | null> => {
  const rows = await db<{ body: string | null }[]>`
    select case when f.id is not null then row_to_json((select finding from (
      select f.id, f.severity, f.category, f.evidence, f.suggested_action, iso_utc(f.generated_at) as generated_at
    ) finding))::text end as body
    from parcels p left join findings f on f.parcel_id = p.id
    where p.source = ${key.source} and p.source_parcel_id = ${key.id}
    order by f.generated_at desc, f.id limit ${limit}`
  return rows.length === 0 ? null : rows.flatMap(({ body }) => body ?? [])
}

export interface FindingFilter {
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
  { severity, category, source, after, limit }: FindingFilter,
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(finding)::text as body from (
    select f.id, f.severity, f.category, f.evidence, f.suggested_action, iso_utc(f.generated_at) as generated_at,
      p.source, p.source_parcel_id, p.situs_address
    from findings f join live_parcels p on p.id = f.parcel_id
    where true
      ${after === null ? db`` : db`and f.id < ${after}`}
      ${severity === null ? db`` : db`and f.severity = ${severity}`}
      ${category === null ? db`` : db`and f.category = ${category}`}
      ${source === null ? db`` : db`and p.source = ${source}`}
    order by f.id desc limit ${limit}
  ) finding`
