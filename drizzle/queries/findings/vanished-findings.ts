import type { Db, Transaction } from '../../../core/postgres/database'
import { MAX_RUNS } from '../sources/source-runs'
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

/**
 * Removes the findings that the last scrapes of the source added: its portal is not believed any more. The findings of earlier scrapes
 * stay. A finding that another transaction is changing belongs to a parcel that was scraped meanwhile.
 */
export const withdrawVanishedFindings = async (db: Db, source: string, rule: string): Promise<void> => {
  await db`
    delete from findings where id in (
      select f.id from (
        select j.source_parcel_id, j.started_at from scrape_jobs j
        where j.source = ${source} and j.status in ('done', 'error') order by j.finished_at desc limit ${MAX_RUNS}
      ) last_runs
      join live_parcels p on p.source = ${source} and p.source_parcel_id = last_runs.source_parcel_id
      join findings f on f.parcel_id = p.id and f.rule = ${rule} and f.generated_at >= last_runs.started_at
      for update of f skip locked
    )`
}

/**
 * Waits until no other transaction judges whether parcels of the source vanished, so that each one counts the failures of those before
 * it. Ends with the transaction.
 */
export const lockVanished = async (tx: Transaction, source: string): Promise<void> => {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`vanished ${source}`}, 0))`
}

/** Removes the finding `rule` from parcels that their portal knows again. */
export const removeVanishedFindings = async (db: Db, rule: string, parcelIds: readonly string[]): Promise<void> => {
  if (parcelIds.length === 0) return
  await db`delete from findings where rule = ${rule} and parcel_id = any(${[...parcelIds]}::uuid[])`
}
