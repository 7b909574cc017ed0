import type { Db } from '../../../core/postgres/database'
import type { FindingInput } from './store-findings'

/**
 * Adds a finding to a listed parcel that its portal does not know. The evidence is the time of the last scrape, so it stays the same
 * until the portal knows the parcel again. Does nothing if no such parcel is listed.
 */
export const addVanishedFinding = async (
  db: Db,
  { source, sourceParcelId }: { source: string; sourceParcelId: string },
  { rule, subject, severity, category, suggestedAction }: Omit<FindingInput, 'evidence'>,
): Promise<void> => {
  await db`
    insert into findings as f (parcel_id, rule, subject, severity, category, evidence, suggested_action)
    select id, ${rule}, ${subject}, ${severity}::finding_severity, ${category}::finding_category,
      jsonb_build_object('portal', 'not_found', 'last_scraped_at', iso_utc(scraped_at)), ${suggestedAction}
    from live_parcels where source = ${source} and source_parcel_id = ${sourceParcelId}
    on conflict (parcel_id, rule, subject) do update set evidence = excluded.evidence where f.evidence <> excluded.evidence`
}

/** Removes the finding `rule` from parcels that their portal knows again. */
export const removeVanishedFindings = async (db: Db, rule: string, parcelIds: readonly string[]): Promise<void> => {
  if (parcelIds.length === 0) return
  await db`delete from findings where rule = ${rule} and parcel_id = any(${[...parcelIds]}::uuid[])`
}
