import type { Db } from '../../../core/postgres/database'

/** Whether the owner of watch `w` may receive alerts: an admin, or a key of the operator's. */
const mayHearAlerts = (db: Db) => db`
  (w.account_id is null or exists (select from accounts a where a.id = w.account_id and a.role = 'admin'))`

/** Whether requests of watch `w` are sent at all. */
export const isSending = (db: Db) => db`
  w.active and not exists (select from api_keys k where k.hashed_key = w.key_hash and k.revoked_at is not null)
  and (w.kind <> 'alerts' or ${mayHearAlerts(db)})`
