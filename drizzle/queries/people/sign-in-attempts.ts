import type { Db } from '../../../core/postgres/database'

/** How many times one address may set out to sign in, in how long. A whole office may share an address. */
const MOST_ATTEMPTS = 20
const WINDOW = '1 minute'
/** How long someone may take at the identity provider. */
const LASTS = '10 minutes'

export interface SignInAttempt {
  hashedState: string
  hashedBrowser: string
  codeVerifier: string
  nonce: string
  returnTo: string
  address: string
}

/**
 * Keeps an attempt to sign in, unless its address has made too many lately: then after how many seconds it may make the next;
 * else null. Attempts at the very same moment may all pass.
 */
export const insertAttempt = async (db: Db, attempt: SignInAttempt): Promise<{ retryAfterS: number } | null> => {
  const { hashedState, hashedBrowser, codeVerifier, nonce, returnTo, address } = attempt
  const [row] = await db<{ inserted: boolean; retryAfterS: number }[]>`
    with lately as (
      select count(*) as attempts, min(created_at) as first_at from sign_in_attempts
      where address = ${address} and created_at > now() - ${WINDOW}::interval
    ), inserted as (
      insert into sign_in_attempts (hashed_state, hashed_browser, code_verifier, nonce, return_to, address)
      select ${hashedState}, ${hashedBrowser}, ${codeVerifier}, ${nonce}, ${returnTo}, ${address}
      from lately where attempts < ${MOST_ATTEMPTS} returning 1
    )
    select exists (select from inserted) as inserted,
      greatest(1, ceil(extract(epoch from first_at + ${WINDOW}::interval - now())))::int as "retryAfterS"
    from lately`
  if (row === undefined) throw new Error('an aggregate that returns no row')
  return row.inserted ? null : { retryAfterS: row.retryAfterS }
}

export type TakenAttempt = Pick<SignInAttempt, 'codeVerifier' | 'nonce' | 'returnTo'>

/** The attempt that this browser set out on, which no one can take again; null when there is none, or it took too long. */
export const takeAttempt = async (
  db: Db,
  { hashedState, hashedBrowser }: Pick<SignInAttempt, 'hashedState' | 'hashedBrowser'>,
): Promise<TakenAttempt | null> => {
  const [row] = await db<TakenAttempt[]>`
    update sign_in_attempts set used_at = now()
    where hashed_state = ${hashedState} and hashed_browser = ${hashedBrowser} and used_at is null
      and created_at > now() - ${LASTS}::interval
    returning code_verifier as "codeVerifier", nonce, return_to as "returnTo"`
  return row ?? null
}

/**
 * Where the attempt of this state was to lead, whoever set out on it and however it ended: for who begins anew. Null when there is
 * none, or it has been removed.
 */
export const findReturnTo = async (db: Db, hashedState: string): Promise<string | null> => {
  const [row] = await db<{ returnTo: string }[]>`
    select return_to as "returnTo" from sign_in_attempts where hashed_state = ${hashedState}`
  return row?.returnTo ?? null
}

/** Removes attempts that are of no more use; at most `limit` of them. Returns how many. */
export const deleteOldAttempts = async (db: Db, limit: number): Promise<number> => {
  const deleted = await db`delete from sign_in_attempts where hashed_state in (
    select hashed_state from sign_in_attempts where created_at < now() - ${LASTS}::interval limit ${limit})`
  return deleted.count
}
