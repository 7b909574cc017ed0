import { batchLookups } from '../../../core/concurrency/batch-lookups'
import type { Sql } from '../../../core/postgres/database'
import { findKeys, type KeyRow, touchKeys } from '../../../drizzle/queries/people/api-keys'
import { findSessions, type SessionRow, touchSessions } from '../../../drizzle/queries/people/sessions'
import { BULK_EXPORT, type Capability, highestCapability } from '../../people/capabilities'
import { hashKey } from '../../people/hash-key'
import { noteUses } from '../../people/note-uses'
import { HttpError } from '../convention/errors'
import { cookieName, readCookie, SESSION_COOKIE } from './cookies'

/** The caller of a request. Contains only what may be shown and logged, never the key or the session token. */
export interface Principal {
  capability: Capability
  /** Whether it has the capability `bulk-export`, which is separate from the others. Admins have it. */
  mayExport: boolean
  /** Name for the tuning log and job markers: the first 8 characters of the key, or the short name of the account. */
  actor: string
  /** The account that owns the key or session. Null for the operator's keys and for keys without an account. */
  accountId: string | null
  /** Identifies the caller, in hex: the SHA-256 of the key. For a signed-in person it is the same in all sessions. */
  callerHash: string
}

/** All keys and sessions of one account are one caller. */
export const callerIdOf = ({ accountId, callerHash }: Principal): string => accountId ?? callerHash

/** A signed-in person. */
export type SignedIn = Principal & { accountId: string }

export interface Authenticator {
  /**
   * `isUse` (default true): records this as the last use of the key, which its owner can see.
   *
   * @throws HttpError 401
   */
  authenticate: (presentedKey: string | null, options?: { isUse: boolean }) => Principal | Promise<Principal>
  /** Whether this is a bootstrap key with the capability `admin`. Keys in the database are not looked up. */
  isAdminKey: (presentedKey: string) => boolean
  /** The person whose session this request carries, or null. `isUse` (default true): restarts the session's idle timeout. */
  findSignedIn: (request: Request, options?: { isUse: boolean }) => Promise<SignedIn | null>
  /** Writes the last-used times of keys and sessions to the database. */
  flush: () => Promise<void>
  stop: () => Promise<void>
  /** Public address of the service. */
  baseUrl: string
}

export const UNAUTHORIZED = 'missing or invalid api key'
const FLUSH_INTERVAL_MS = 5_000

/**
 * Authenticates keys (the bootstrap map first, then `api_keys`) and sessions.
 *
 * Every request looks up its key or session again. So a revoked key, an ended session or a lost role takes effect on the next
 * request, in every process. Requests that arrive during a lookup share the next one. Keys and tokens are compared only by their
 * SHA-256, so the time a comparison takes reveals nothing about them.
 */
export const createAuthenticator = (
  sql: Sql,
  bootstrapKeys: ReadonlyMap<string, Capability>,
  { baseUrl, exportKeys = new Set() }: { baseUrl: string; exportKeys?: ReadonlySet<string> },
): Authenticator => {
  const bootstrap = new Map(
    [...bootstrapKeys].map(([key, capability]) => {
      const callerHash = hashKey(key)
      const mayExport = capability === 'admin' || exportKeys.has(key)
      return [callerHash, { capability, mayExport, actor: key.slice(0, 8), accountId: null, callerHash }]
    }),
  )
  const lookUpKey = batchLookups((hashes: string[]) => findKeys(sql, hashes))
  const lookUpSession = batchLookups((hashes: string[]) => findSessions(sql, hashes))
  const usedKeys = noteUses((uses) => touchKeys(sql, uses))
  const usedSessions = noteUses((uses) => touchSessions(sql, uses))
  const sessionCookie = cookieName(SESSION_COOKIE, baseUrl)

  const flush = async () => {
    await usedKeys.flush()
    await usedSessions.flush()
  }
  // Not logged: the failing requests already show that the database is unavailable. The next flush writes these uses, too.
  const timer = setInterval(() => flush().catch(() => {}), FLUSH_INTERVAL_MS)
  timer.unref()

  const acceptKey = (row: KeyRow | undefined, presented: string, isUse: boolean): Principal => {
    if (row === undefined) throw new HttpError(401, UNAUTHORIZED)
    if (isUse) usedKeys.note(row.id)
    const capability = highestCapability(row.capabilities, `key ${row.id}`)
    return {
      capability,
      mayExport: capability === 'admin' || row.capabilities.includes(BULK_EXPORT),
      actor: presented.slice(0, 8),
      accountId: row.account_id,
      callerHash: row.hashed_key,
    }
  }

  return {
    authenticate: (presented, { isUse } = { isUse: true }) => {
      if (presented === null || presented === '') throw new HttpError(401, UNAUTHORIZED)
      const hash = hashKey(presented)
      return bootstrap.get(hash) ?? lookUpKey(hash).then((row) => acceptKey(row, presented, isUse))
    },
    isAdminKey: (presented) => bootstrap.get(hashKey(presented))?.capability === 'admin',
    findSignedIn: async (request, { isUse } = { isUse: true }) => {
      const token = readCookie(request, sessionCookie)
      const row = token === null ? undefined : await lookUpSession(hashKey(token))
      if (row === undefined) return null
      if (isUse) usedSessions.note(row.hashed_token)
      return {
        capability: capabilityOf(row),
        mayExport: capabilityOf(row) !== 'read',
        actor: row.account_name,
        accountId: row.account_id,
        callerHash: hashKey(`account ${row.account_id}`),
      }
    },
    flush,
    stop: async () => {
      clearInterval(timer)
      await flush()
    },
    baseUrl,
  }
}

const capabilityOf = ({ role, plan }: SessionRow): Capability => {
  if (role === 'admin') return 'admin'
  return plan === 'paid' ? 'enqueue' : 'read'
}
