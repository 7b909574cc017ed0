import { Elysia } from 'elysia'
import { batchLookups } from '../../../core/concurrency/batch-lookups'
import type { Sql } from '../../../core/postgres/database'
import { findKeys, type KeyRow, touchKeys } from '../../../drizzle/queries/people/api-keys'
import { findSessions, type SessionRow, touchSessions } from '../../../drizzle/queries/people/sessions'
import { BULK_EXPORT, CAPABILITIES, type Capability, highestCapability } from '../../config'
import { hashKey } from '../../people/hash-key'
import { noteUses } from '../../people/note-uses'
import { readJsonBody } from '../convention/body/body'
import { assignBody, settleBody } from '../convention/body/body-memory'
import { readFilePart } from '../convention/body/file-part'
import { readListBody } from '../convention/body/list-body'
import { HttpError } from '../convention/errors'
import { cookieName, readCookie, SESSION_COOKIE } from './cookies'
import { refuseOtherOrigins } from './same-origin'

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

const UNAUTHORIZED = 'missing or invalid api key'
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

/** The result of authorizing a request. */
interface Authorization {
  principal: Principal
  /** As `performance.now()`. */
  at: number
  /** Identifies the caller again. This does not count as a use of the key. */
  identifyAgain: () => Principal | Promise<Principal>
}

const authorizations = new WeakMap<Request, Authorization>()
const adminActs = new WeakSet<Request>()

/** Whether an admin made this request as an admin: its route needs `admin`, or `actsAsAdmin` was called for it. */
export const isAdminAct = (request: Request): boolean => adminActs.has(request)

/** For routes that do not need `admin`: marks a request that does something only admins may do. */
export const actsAsAdmin = (request: Request): void => {
  adminActs.add(request)
}

/** The caller of this request. Undefined before authentication and on public routes. */
export const findPrincipal = (request: Request): Principal | undefined => authorizations.get(request)?.principal

/** The caller of this request. Only for routes that set `needs`. */
export const principalOf = (request: Request): Principal => {
  const principal = findPrincipal(request)
  if (principal === undefined) throw new Error('this route does not require a key')
  return principal
}

/** The signed-in person. Only for routes with `needs: 'session'`. */
export const signedInOf = (request: Request): SignedIn => {
  const { accountId, ...principal } = principalOf(request)
  if (accountId === null) throw new Error('this route does not require a session')
  return { ...principal, accountId }
}

/** A caller whose body takes longer to arrive is authorized again, so that nobody can begin a request now and complete it after losing access. */
export const BODY_PATIENCE_MS = 200

const hasSlowBody = (request: Request): boolean => {
  const authorized = authorizations.get(request)
  return authorized !== undefined && performance.now() - authorized.at > BODY_PATIENCE_MS
}

/**
 * Authorizes the caller of this request again. A long response must end when its key is revoked, its session ends, or its capability
 * changes. This does not count as a use, so an open page does not keep its session alive.
 *
 * @throws HttpError 401, 403
 */
export const authorizeAgain = async (request: Request): Promise<void> => {
  const { capability, mayExport } = principalOf(request)
  const now = await authorizations.get(request)?.identifyAgain()
  if (now?.capability !== capability || now.mayExport !== mayExport)
    throw new HttpError(403, 'the capability of this caller has changed')
}

/** What a route needs of its caller: a capability, or a session. */
type Needs = Capability | typeof BULK_EXPORT | 'session'

const meets = ({ capability, mayExport }: Principal, needs: Needs): boolean => {
  if (needs === 'session') return true
  if (needs === BULK_EXPORT) return mayExport
  return CAPABILITIES.indexOf(capability) >= CAPABILITIES.indexOf(needs)
}

/**
 * `needs: 'admin'` on a route authorizes the caller before anything else is checked, except the declared body length. So the order of
 * errors is 413, then 401 and 403, then 415 and 400. Routes with a body authorize before they read it, and again if it takes long to arrive; other
 * routes before they check query and path.
 * A key in the header takes precedence over a session. `needs: 'session'` accepts only a session. With `keyParameter`, the key may also
 * be in the query parameter of that name: for programs that can only send a URL.
 */
export const authorization = (
  authenticator: Authenticator,
  { keyParameter = null }: { keyParameter?: string | null } = {},
) => {
  const presentedKeyOf = (request: Request): string | null =>
    request.headers.get('x-service-key') ??
    (keyParameter === null ? null : new URL(request.url).searchParams.get(keyParameter))
  const identifyPerson = async (request: Request, needs: Needs, options: { isUse: boolean }): Promise<Principal> => {
    const person = await authenticator.findSignedIn(request, options)
    if (person === null) throw new HttpError(401, needs === 'session' ? 'not signed in' : UNAUTHORIZED)
    refuseOtherOrigins(request, authenticator.baseUrl)
    return person
  }
  /** @throws HttpError 401, 403 */
  const identify = (request: Request, needs: Needs, options: { isUse: boolean }): Principal | Promise<Principal> => {
    const presentedKey = presentedKeyOf(request)
    return needs === 'session' || presentedKey === null
      ? identifyPerson(request, needs, options)
      : authenticator.authenticate(presentedKey, options)
  }
  const accept = (request: Request, needs: Needs, principal: Principal): void => {
    if (!meets(principal, needs)) {
      const who = presentedKeyOf(request) === null ? 'account' : 'key'
      throw new HttpError(403, `this ${who} lacks the capability: ${needs}`)
    }
    const identifyAgain = () => identify(request, needs, { isUse: false })
    authorizations.set(request, { principal, at: performance.now(), identifyAgain })
    if (needs === 'admin') actsAsAdmin(request)
  }
  /** Synchronous for bootstrap keys, which need no lookup in the database. */
  const authorize = (request: Request, needs: Needs): void | Promise<void> => {
    const principal = identify(request, needs, { isUse: true })
    if (!(principal instanceof Promise)) return accept(request, needs, principal)
    return principal.then((known) => accept(request, needs, known))
  }
  const judgeFor =
    (needs: Needs) =>
    ({ request }: { request: Request }) => {
      if (authorizations.has(request) && !hasSlowBody(request)) return refuseBrokenAddress(request.url)
      const judged = authorizations.has(request) ? authorizeAgain(request) : authorize(request, needs)
      return judged instanceof Promise
        ? judged.then(() => refuseBrokenAddress(request.url))
        : refuseBrokenAddress(request.url)
    }
  const readingFor = (request: Request, needs: Needs) => ({
    authorize: async (bytes: number) => {
      await authorize(request, needs)
      assignBody(request, callerIdOf(principalOf(request)), bytes)
    },
    onRead: (bytes: number) => settleBody(request, bytes),
  })
  // Elysia applies only the first of several plugins with the same name.
  return new Elysia({ name: `authorization ${keyParameter ?? ''}` }).macro({
    needs: (needs: Needs) => ({
      parse: ({ request }) => readJsonBody(request, readingFor(request, needs)),
      transform: judgeFor(needs),
    }),
    /** Like `needs`, for a route that also takes a list as its body (convention/body/list-body.ts). */
    takesList: (needs: Capability) => ({
      parse: ({ request }) => readListBody(request, readingFor(request, needs), () => callerIdOf(principalOf(request))),
      transform: judgeFor(needs),
    }),
    /** Like `needs`, for a route whose body is a part of a file (convention/body/file-part.ts). */
    takesFilePart: (needs: Capability) => ({
      parse: async ({ request }) => {
        const read = await readFilePart(request, readingFor(request, needs))
        // The list of admin actions has one entry for the file, not one for each part.
        adminActs.delete(request)
        return read
      },
      transform: judgeFor(needs),
    }),
  })
}

/** @throws HttpError 400 */
const refuseBrokenAddress = (url: string): void => {
  if (!url.includes('%')) return
  const start = url.indexOf('?')
  const path = start === -1 ? url : url.slice(0, start)
  // PostgreSQL rejects NUL in text. (For a NUL in the path, the schema of the path parameter reports it.)
  if (start !== -1 && url.includes('%00', start)) throw new HttpError(400, 'the query contains a NUL character (%00)')
  // The router replaces invalid UTF-8 with U+FFFD, so one parcel could be mistaken for another, and a search would find nothing.
  if (!isDecodable(path)) throw new HttpError(400, 'the path contains a percent-escape that is not UTF-8')
  // A `%` that does not start an escape is kept as it is: people type "100%".
  if (start !== -1 && url.slice(start).match(ESCAPES)?.every(isDecodable) === false)
    throw new HttpError(400, 'the query contains a percent-escape that is not UTF-8')
}

const ESCAPES = /(?:%[0-9a-f]{2})+/gi

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
