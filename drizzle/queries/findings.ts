import type { Db } from '../database'

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
