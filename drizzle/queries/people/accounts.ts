import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { AccountPlan, AccountRole } from '../../schema/values'

/** A person, as the identity provider describes them. */
export interface Identity {
  issuer: string
  subject: string
  email: string
  name: string | null
}

/** The fields that the account's owner sees. `a` is the account. */
const accountFields = (db: Db) => db`a.id, a.email, a.name, a.role, a.plan, iso_utc(a.created_at) as created_at`

/** Creates an account on the first sign-in, and updates its name and email on each later one. Returns its id. */
export const upsertAccount = async (db: Db, { issuer, subject, email, name }: Identity): Promise<string> => {
  const rows = await db<{ id: string }[]>`
    insert into accounts as a (issuer, subject, email, name, last_seen_at)
    values (${issuer}, ${subject}, ${email}, ${name}, now())
    on conflict (issuer, subject) do update
      set email = excluded.email, name = excluded.name, last_seen_at = now(),
        updated_at = case when (a.email, a.name) is distinct from (excluded.email, excluded.name) then now() else a.updated_at end
    returning id`
  return onlyRow(rows).id
}

/** One account as JSON text; null when there is none. */
export const findAccount = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(account)::text as body from (select ${accountFields(db)} from accounts a where a.id = ${id}) account`
  return row?.body ?? null
}

/** The fields that admins see, with the number of valid keys and the last activity. */
const accountRow = (db: Db) => db`
  ${accountFields(db)}, iso_utc(a.last_seen_at) as last_seen_at,
  -- The range has only one account. With equality, PostgreSQL read all keys for each account if one account had nearly all.
  (select count(*)::int from api_keys k where k.account_id >= a.id and k.account_id <= a.id and k.revoked_at is null) as keys`

export interface AccountPage {
  /** Only accounts created before this one. Ids grow with time. */
  after: string | null
  /** Only accounts whose email or name contains this, in upper or lower case. */
  q: string | null
  limit: number
}

/** Accounts as JSON texts, newest first. */
export const listAccounts = (db: Db, { after, q, limit }: AccountPage): Promise<{ id: string; body: string }[]> =>
  db<{ id: string; body: string }[]>`
    select id, row_to_json(account)::text as body from (
      select ${accountRow(db)} from accounts a
      where true ${after === null ? db`` : db`and a.id < ${after}`}
        ${q === null ? db`` : db`and strpos(lower(a.email || ' ' || coalesce(a.name, '')), lower(${q})) > 0`}
      order by a.id desc limit ${limit}
    ) account`

export interface AccountChange {
  role?: AccountRole | undefined
  plan?: AccountPlan | undefined
}

/**
 * Locks all admins until the transaction ends and returns their ids. A concurrent transaction that would remove an admin waits, and then
 * sees who is left. The rows are always locked in the same order, so that callers cannot deadlock.
 */
export const lockAdmins = async (tx: Transaction): Promise<string[]> => {
  const rows = await tx<{ id: string }[]>`select id from accounts where role = 'admin' order by id for update`
  return rows.map(({ id }) => id)
}

/** Changes the given fields. Returns the account as JSON text; null when there is none. */
export const updateAccount = async (db: Db, id: string, { role, plan }: AccountChange): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with changed as (
      update accounts set role = coalesce(${role ?? null}, role), plan = coalesce(${plan ?? null}, plan), updated_at = now()
      where id = ${id} returning *
    )
    select row_to_json(account)::text as body from (select ${accountRow(db)} from changed a) account`
  return row?.body ?? null
}

/** Deletes an account, its sessions and its keys. Returns the deleted account as JSON text; null when there is none. */
export const deleteAccount = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with deleted as (delete from accounts where id = ${id} returning *)
    select row_to_json(account)::text as body from (select ${accountRow(db)} from deleted a) account`
  return row?.body ?? null
}

/** Accounts with this email, in upper or lower case. There may be several: an email does not identify an account. */
export const findAccountsByEmail = async (
  db: Db,
  email: string,
): Promise<{ id: string; issuer: string; role: AccountRole }[]> =>
  db<{ id: string; issuer: string; role: AccountRole }[]>`
    select id, issuer, role from accounts where lower(email) = lower(${email}) order by id`
