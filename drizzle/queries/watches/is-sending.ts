import type { Db } from '../../../core/postgres/database'

/** Whether the owner of watch `w` may receive alerts: an admin, or a key of the operator's. */
const mayHearAlerts = (db: Db) => db`
  (w.account_id is null or exists (select from accounts a where a.id = w.account_id and a.role = 'admin'))`

/** Whether watch `w` was added with a key that is not revoked, or without a key. */
export const hasValidKey = (db: Db) =>
  db`not exists (select from api_keys k where k.hashed_key = w.key_hash and k.revoked_at is not null)`

/** Whether requests of watch `w` are sent at all. */
export const isSending = (db: Db) => db`
  w.active and ${hasValidKey(db)} and (w.kind <> 'alerts' or ${mayHearAlerts(db)})`
