import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

/** How many sign-ins one address may start per `WINDOW`. A whole office may share an address. */
const MAX_ATTEMPTS = 20
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
 * Stores a sign-in attempt and returns null. If its address has made too many in the last minute, stores nothing and returns the
 * seconds until the next one is allowed. Concurrent attempts may all pass.
 */
export const insertAttempt = async (db: Db, attempt: SignInAttempt): Promise<{ retryAfterS: number } | null> => {
  const { hashedState, hashedBrowser, codeVerifier, nonce, returnTo, address } = attempt
  const rows = await db<{ inserted: boolean; retryAfterS: number }[]>`
    with lately as (
      select count(*) as attempts, min(created_at) as first_at from sign_in_attempts
      where address = ${address} and created_at > now() - ${WINDOW}::interval
    ), inserted as (
      insert into sign_in_attempts (hashed_state, hashed_browser, code_verifier, nonce, return_to, address)
      select ${hashedState}, ${hashedBrowser}, ${codeVerifier}, ${nonce}, ${returnTo}, ${address}
      from lately where attempts < ${MAX_ATTEMPTS} returning 1
    )
    select exists (select from inserted) as inserted,
      greatest(1, ceil(extract(epoch from first_at + ${WINDOW}::interval - now())))::int as "retryAfterS"
    from lately`
  const row = onlyRow(rows)
  return row.inserted ? null : { retryAfterS: row.retryAfterS }
}

export type TakenAttempt = Pick<SignInAttempt, 'codeVerifier' | 'nonce' | 'returnTo'>

/** Returns this browser's sign-in attempt and marks it as used. Null when there is none, or it was used before or took too long. */
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
 * The redirect path of the attempt with this state, for a browser that has to start again. It does not matter who made the attempt or
 * how it ended. Null when there is none, or it was deleted.
 */
export const findReturnTo = async (db: Db, hashedState: string): Promise<string | null> => {
  const [row] = await db<{ returnTo: string }[]>`
    select return_to as "returnTo" from sign_in_attempts where hashed_state = ${hashedState}`
  return row?.returnTo ?? null
}

/** Deletes at most `limit` expired attempts. Returns how many. */
export const deleteOldSignInAttempts = async (db: Db, limit: number): Promise<number> => {
  const deleted = await db`delete from sign_in_attempts where hashed_state in (
    select hashed_state from sign_in_attempts where created_at < now() - ${LASTS}::interval limit ${limit})`
  return deleted.count
}
