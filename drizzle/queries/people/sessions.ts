import type { Db } from '../../../core/postgres/database'
import type { AccountPlan, AccountRole } from '../../schema/values'

/** How long an unused session lasts. */
const IDLE = '12 hours'
/** The maximum lifetime of a session, even if it is in use, so that a stolen token expires. */
const LONGEST = '7 days'
/** `last_seen_at` is written at most this often. */
const SEEN_PRECISION = '1 minute'

export interface SessionRow {
  hashed_token: string
  account_id: string
  /** The short name of the account (account-names.ts). */
  account_name: string
  role: AccountRole
  plan: AccountPlan
}

/** The live sessions with these hashes (SHA-256, hex), each with the current state of its account, by hash. */
export const findSessions = async (db: Db, hashes: string[]): Promise<Map<string, SessionRow>> => {
  const rows = await db<SessionRow[]>`
    select s.hashed_token, s.account_id, account_name(a.id) as account_name, a.role, a.plan
    from sessions s join accounts a on a.id = s.account_id
    where s.hashed_token = any(${hashes}) and s.last_seen_at > now() - ${IDLE}::interval
      and s.created_at > now() - ${LONGEST}::interval`
  return new Map(rows.map((row) => [row.hashed_token, row]))
}

export const insertSession = async (db: Db, { hashedToken, accountId }: { hashedToken: string; accountId: string }) => {
  await db`insert into sessions (hashed_token, account_id) values (${hashedToken}, ${accountId})`
}

/** Records when sessions and their accounts were last used. Sessions that were deleted stay deleted. Times are ISO 8601. */
export const touchSessions = async (db: Db, uses: { id: string; usedAt: string }[]): Promise<void> => {
  await db`
    with touched as (
      update sessions s set last_seen_at = used."usedAt"
      from json_to_recordset(${JSON.stringify(uses)}::text::json) as used (id text, "usedAt" timestamptz)
      where s.hashed_token = used.id and s.last_seen_at < used."usedAt" - ${SEEN_PRECISION}::interval
      returning s.account_id, s.last_seen_at
    )
    update accounts a set last_seen_at = greatest(a.last_seen_at, seen.at)
    from (select account_id, max(last_seen_at) as at from touched group by account_id) seen
    where a.id = seen.account_id`
}

export const deleteSession = async (db: Db, hashedToken: string): Promise<void> => {
  await db`delete from sessions where hashed_token = ${hashedToken}`
}

/** Deletes at most `limit` expired sessions. Returns how many. */
export const deleteEndedSessions = async (db: Db, limit: number): Promise<number> => {
  const deleted = await db`delete from sessions where hashed_token in (
    select hashed_token from sessions
    where last_seen_at <= now() - ${IDLE}::interval or created_at <= now() - ${LONGEST}::interval limit ${limit})`
  return deleted.count
}
