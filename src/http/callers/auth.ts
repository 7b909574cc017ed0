import { Elysia } from 'elysia'
import { batchLookups } from '../../../core/batch-lookups'
import type { Sql } from '../../../core/postgres/database'
import { findKeys, type KeyRow, touchKeys } from '../../../drizzle/queries/people/api-keys'
import { findSessions, type SessionRow, touchSessions } from '../../../drizzle/queries/people/sessions'
import { CAPABILITIES, type Capability, highestCapability } from '../../config'
import { hashKey } from '../../people/hash-key'
import { noteUses } from '../../people/note-uses'
import { readJsonBody } from '../convention/body'
import { assignBody, settleBody } from '../convention/body-memory'
import { HttpError } from '../convention/errors'
import { cookieName, readCookie, SESSION_COOKIE } from './cookies'
import { refuseOtherOrigins } from './same-origin'

/** Who makes a request: never the key or the session itself, only what may be shown and logged. */
export interface Principal {
  capability: Capability
  /** What the tuning log and job markers name: the first 8 characters of the key, or the short name of a person's account. */
  actor: string
  /** Whose key or session it is. Null: the operator's own key, or one issued to nobody's account. */
  accountId: string | null
  /** Tells callers apart, in hex: the SHA-256 of the key; of a person, the same in all their sessions. */
  callerHash: string
}

/** Someone who is signed in. */
export type SignedIn = Principal & { accountId: string }

export interface Authenticator {
  /**
   * `isUse`: it counts as a use of the key, which its owner is shown; so it is unless told otherwise.
   *
   * @throws HttpError 401
   */
  authenticate: (presentedKey: string | null, options?: { isUse: boolean }) => Principal | Promise<Principal>
  /** Who is signed in where this request comes from; null when nobody is. `isUse`: the session's idle time begins anew. */
  findSignedIn: (request: Request, options?: { isUse: boolean }) => Promise<SignedIn | null>
  /** Writes what is known of the last use of keys and sessions. */
  flush: () => Promise<void>
  stop: () => Promise<void>
  /** Where people reach the service. */
  baseUrl: string
}

const UNAUTHORIZED = 'missing or invalid api key'
const FLUSH_INTERVAL_MS = 5_000

/**
 * The two key stores of api-spec, Authentication: the bootstrap map first, then `api_keys`; and the sessions of people who
 * signed in. Each is looked up on every request anew, so that a revoked key, an ended session and a lost role count on the
 * very next one, in every process. Requests that come while a look-up is under way share the next. Keys and tokens are compared by
 * their SHA-256 only, so that the time a comparison takes tells nothing of them.
 */
export const createAuthenticator = (
  sql: Sql,
  bootstrapKeys: ReadonlyMap<string, Capability>,
  { baseUrl }: { baseUrl: string },
): Authenticator => {
  const bootstrap = new Map(
    [...bootstrapKeys].map(([key, capability]) => {
      const callerHash = hashKey(key)
      return [callerHash, { capability, actor: key.slice(0, 8), accountId: null, callerHash }]
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
  // A database that is away is told of by the requests themselves; what was not written is kept for the next round.
  const timer = setInterval(() => flush().catch(() => {}), FLUSH_INTERVAL_MS)
  timer.unref()

  const acceptKey = (row: KeyRow | undefined, presented: string, isUse: boolean): Principal => {
    if (row === undefined) throw new HttpError(401, UNAUTHORIZED)
    if (isUse) usedKeys.note(row.id)
    return {
      capability: highestCapability(row.capabilities, `key ${row.id}`),
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
    findSignedIn: async (request, { isUse } = { isUse: true }) => {
      const token = readCookie(request, sessionCookie)
      const row = token === null ? undefined : await lookUpSession(hashKey(token))
      if (row === undefined) return null
      if (isUse) usedSessions.note(row.hashed_token)
      return {
        capability: capabilityOf(row),
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

const principals = new WeakMap<Request, Principal>()
const rechecks = new WeakMap<Request, () => Promise<void>>()

/** Who makes this request; undefined as long as that is not known, and where nobody asks. */
export const findPrincipal = (request: Request): Principal | undefined => principals.get(request)

/** Who makes this request. Only for routes that need a key. */
export const principalOf = (request: Request): Principal => {
  const principal = principals.get(request)
  if (principal === undefined) throw new Error('this route does not ask for a key')
  return principal
}

/** Who is signed in. Only for routes that ask for a session. */
export const signedInOf = (request: Request): SignedIn => {
  const { accountId, ...principal } = principalOf(request)
  if (accountId === null) throw new Error('this route does not ask for a session')
  return { ...principal, accountId }
}

/**
 * Judges the caller of this request anew: an answer that lasts must end when a key is revoked, a session has ended, or either may do
 * something else than when it began. It is no use of either: a page that is left open does not keep its session alive.
 *
 * @throws HttpError 401, 403
 */
export const authorizeAgain = async (request: Request): Promise<void> => {
  const { capability } = principalOf(request)
  await rechecks.get(request)?.()
  if (principalOf(request).capability !== capability) throw new HttpError(403, 'what this caller may do has changed')
}

/**
 * `needs: 'admin'` on a route: the caller is judged before anything of the request is, except a declared length (design: 413; then 401,
 * 403; then 415 and 400). On routes with a body that is before the body is read, else before the query and the path are checked. A key in the
 * header counts first, then the session; `needs: 'session'` takes a session alone.
 */
export const authorization = (authenticator: Authenticator) => {
  /** @throws HttpError 401, 403 */
  const identify = async (
    request: Request,
    needs: Capability | 'session',
    options: { isUse: boolean },
  ): Promise<Principal> => {
    const presentedKey = request.headers.get('x-service-key')
    if (needs !== 'session' && presentedKey !== null) return authenticator.authenticate(presentedKey, options)
    const person = await authenticator.findSignedIn(request, options)
    if (person === null) throw new HttpError(401, needs === 'session' ? 'not signed in' : UNAUTHORIZED)
    refuseOtherOrigins(request, authenticator.baseUrl)
    return person
  }
  const authorize = async (
    request: Request,
    needs: Capability | 'session',
    options: { isUse: boolean } = { isUse: true },
  ): Promise<void> => {
    const principal = await identify(request, needs, options)
    if (needs !== 'session' && CAPABILITIES.indexOf(principal.capability) < CAPABILITIES.indexOf(needs)) {
      const who = request.headers.has('x-service-key') ? 'key' : 'account'
      throw new HttpError(403, `this ${who} lacks the capability: ${needs}`)
    }
    principals.set(request, principal)
    rechecks.set(request, () => authorize(request, needs, { isUse: false }))
  }
  const judge = async (request: Request, needs: Capability | 'session'): Promise<void> => {
    if (!principals.has(request)) await authorize(request, needs)
    // No text that is kept or searched has one, and PostgreSQL refuses it. (One in a path is told of by its parameter.)
    if (hasNulInQuery(request.url)) throw new HttpError(400, 'the query has a NUL character (%00) in it')
    refuseBrokenEscapes(request.url)
  }
  return new Elysia({ name: 'authorization' }).macro({
    needs: (needs: Capability | 'session') => ({
      parse: ({ request }) =>
        readJsonBody(request, {
          authorize: async () => {
            await authorize(request, needs)
            assignBody(request, principalOf(request).callerHash)
          },
          onRead: (bytes) => settleBody(request, bytes),
        }),
      transform: ({ request, set }) => {
        // Caches know Authorization, not our header: what one caller was told is for nobody else. A route may say otherwise.
        set.headers['cache-control'] = 'private, no-cache'
        return judge(request, needs)
      },
    }),
  })
}

const hasNulInQuery = (url: string): boolean => {
  const start = url.indexOf('?')
  return start !== -1 && url.includes('%00', start)
}

/**
 * The router puts U+FFFD in the place of what is no UTF-8: a parcel would be taken for another one.
 *
 * @throws HttpError 400
 */
const refuseBrokenEscapes = (url: string): void => {
  const path = url.split('?', 1)[0] ?? ''
  if (!path.includes('%')) return
  try {
    decodeURIComponent(path)
  } catch {
    throw new HttpError(400, 'the path has a percent-escape in it that is not UTF-8')
  }
}
