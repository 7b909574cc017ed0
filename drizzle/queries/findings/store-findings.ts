import type { Db } from '../../../core/postgres/database'
import type { FINDING_CATEGORIES, SEVERITIES } from '../../schema/values'

export interface FindingInput {
  rule: string
  subject: string
  severity: (typeof SEVERITIES)[number]
  category: (typeof FINDING_CATEGORIES)[number]
  evidence: Record<string, unknown>
  suggestedAction: string
}

export interface ParcelFindings {
  parcelId: string
  findings: readonly FindingInput[]
}

/**
 * Replaces the findings of each parcel in one statement. A finding that still applies (same rule and subject) keeps its id and
 * `generated_at`, and its other columns are updated. One that no longer applies is deleted. `findings` must not contain the same rule
 * and subject twice.
 */
export const storeFindings = async (db: Db, parcels: readonly ParcelFindings[]): Promise<void> => {
  if (parcels.length === 0) return
  const incoming = parcels.flatMap(({ parcelId, findings }) => findings.map((finding) => ({ parcelId, ...finding })))
  await db`
    with incoming as (
      select "parcelId" as parcel_id, rule, subject, severity::finding_severity, category::finding_category, evidence,
        "suggestedAction" as suggested_action
      from jsonb_to_recordset(${JSON.stringify(incoming)}::text::jsonb) as f (
        "parcelId" uuid, rule text, subject text, severity text, category text, evidence jsonb, "suggestedAction" text
      )
    ), gone as (
      delete from findings f
      where parcel_id = any(${parcels.map(({ parcelId }) => parcelId)}::uuid[])
        and not exists (
          select from incoming i where i.parcel_id = f.parcel_id and i.rule = f.rule and i.subject = f.subject
        )
    )
    insert into findings as f (parcel_id, rule, subject, severity, category, evidence, suggested_action)
    select i.* from incoming i order by parcel_id, rule, subject
    on conflict (parcel_id, rule, subject) do update set severity = excluded.severity, category = excluded.category,
      evidence = excluded.evidence, suggested_action = excluded.suggested_action
    where (f.severity, f.category, f.evidence, f.suggested_action)
      is distinct from (excluded.severity, excluded.category, excluded.evidence, excluded.suggested_action)`
}
