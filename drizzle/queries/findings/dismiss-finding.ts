import type { Db } from '../../../core/postgres/database'

/** Dismisses a finding with its current evidence. Dismissing it again replaces the reason. Does nothing if there is no such finding. */
export const dismissFinding = async (
  db: Db,
  id: string,
  { reason, by }: { reason: string; by: string },
): Promise<void> => {
  await db`
    insert into finding_dismissals (parcel_id, rule, subject, evidence_hash, reason, dismissed_by)
    select parcel_id, rule, subject, md5(evidence::text), ${reason}, ${by} from findings where id = ${id} for update
    on conflict (parcel_id, rule, subject, evidence_hash)
      do update set reason = excluded.reason, dismissed_by = excluded.dismissed_by, dismissed_at = now()`
}

/** Undoes the dismissal of a finding with its current evidence, if there is one. */
export const reopenFinding = async (db: Db, id: string): Promise<void> => {
  await db`
    delete from finding_dismissals d using findings f
    where f.id = ${id} and d.parcel_id = f.parcel_id and d.rule = f.rule and d.subject = f.subject
      and d.evidence_hash = md5(f.evidence::text)`
}
