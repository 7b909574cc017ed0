import type { Db } from '../database'

/** Who someone is, in the identity provider's words. */
export interface Identity {
  issuer: string
  subject: string
  email: string
  name: string | null
}

/** The row that its owner sees. `a` is the account. */
const accountFields = (db: Db) => db`a.id, a.email, a.name, a.role, a.plan, iso_utc(a.created_at) as created_at`

/** The account of an identity, made on its first sign-in; what the provider says of name and email is taken over each time. Its id. */
export const upsertAccount = async (db: Db, { issuer, subject, email, name }: Identity): Promise<string> => {
  const [row] = await db<{ id: string }[]>`
    insert into accounts as a (issuer, subject, email, name, last_seen_at)
    values (${issuer}, ${subject}, ${email}, ${name}, now())
    on conflict (issuer, subject) do update
      set email = excluded.email, name = excluded.name, last_seen_at = now(),
        updated_at = case when (a.email, a.name) is distinct from (excluded.email, excluded.name) then now() else a.updated_at end
    returning id`
  if (row === undefined) throw new Error('an upsert that returns no row')
  return row.id
}

/** One account as JSON text; null when there is none. */
export const findAccount = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(account)::text as body from (select ${accountFields(db)} from accounts a where a.id = ${id}) account`
  return row?.body ?? null
}
