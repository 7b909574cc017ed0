import { Elysia } from 'elysia'
import type { Sql } from '../../drizzle/database'
import { findKeys, type KeyRow, touchKeys } from '../../drizzle/queries/api-keys'
import { CAPABILITIES, type Capability, highestCapability } from '../config'
import { batchLookups } from '../services/batch-lookups'
import { hashKey } from '../services/hash-key'
import { readJsonBody } from './body'
import { HttpError } from './errors'

/** Who makes a request: never the key itself, only what may be shown and logged. */
export interface Principal {
  capability: Capability
  /** First 8 characters of the key: what the tuning log and job markers name. */
  keyPrefix: string
  /** SHA-256 of the key, in hex. */
  keyHash: string
}

export interface Authenticator {
  /** @throws HttpError 401 */
  authenticate: (presented: string | null) => Principal | Promise<Principal>
  /** Writes what is known of the last use of keys. */
  flush: () => Promise<void>
  stop: () => Promise<void>
}

const UNAUTHORIZED = 'missing or invalid api key'
const FLUSH_INTERVAL_MS = 5_000

/**
 * The two key stores of api-spec, Authentication: the bootstrap map first, then `api_keys`, on every request anew, so that a
 * revoked key is refused on the very next one, in every process. Requests that come while a look-up is under way share
 * the next. Keys are compared by their SHA-256 only, so that the time a comparison takes tells nothing of a key.
 */
export const createAuthenticator = (sql: Sql, bootstrapKeys: ReadonlyMap<string, Capability>): Authenticator => {
  const bootstrap = new Map(
    [...bootstrapKeys].map(([key, capability]) => {
      const keyHash = hashKey(key)
      return [keyHash, { capability, keyPrefix: key.slice(0, 8), keyHash }]
    }),
  )
  const lookUp = batchLookups((hashes: string[]) => findKeys(sql, hashes))
  const lastUsed = new Map<string, number>()

  const flush = async () => {
    if (lastUsed.size === 0) return
    const uses = [...lastUsed].map(([id, usedAt]) => ({ id, usedAt: new Date(usedAt).toISOString() }))
    lastUsed.clear()
    try {
      await touchKeys(sql, uses)
    } catch (error) {
      for (const { id, usedAt } of uses) lastUsed.set(id, Math.max(lastUsed.get(id) ?? 0, Date.parse(usedAt)))
      throw error
    }
  }
  // A database that is away is told of by the requests themselves; what was not written is kept for the next round.
  const timer = setInterval(() => flush().catch(() => {}), FLUSH_INTERVAL_MS)
  timer.unref()

  const accept = (row: KeyRow | undefined, presented: string): Principal => {
    if (row === undefined) throw new HttpError(401, UNAUTHORIZED)
    lastUsed.set(row.id, Date.now())
    return {
      capability: highestCapability(row.capabilities, `key ${row.id}`),
      keyPrefix: presented.slice(0, 8),
      keyHash: row.hashed_key,
    }
  }

  return {
    authenticate: (presented) => {
      if (presented === null || presented === '') throw new HttpError(401, UNAUTHORIZED)
      const hash = hashKey(presented)
      return bootstrap.get(hash) ?? lookUp(hash).then((row) => accept(row, presented))
    },
    flush,
    stop: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

const principals = new WeakMap<Request, Principal>()
const rechecks = new WeakMap<Request, () => Promise<void>>()

/** Who makes this request. Only for routes that need a key. */
export const principalOf = (request: Request): Principal => {
  const principal = principals.get(request)
  if (principal === undefined) throw new Error('this route does not ask for a key')
  return principal
}

/**
 * Judges the key of this request anew: an answer that lasts must end when its key is revoked.
 *
 * @throws HttpError 401, 403
 */
export const authorizeAgain = async (request: Request): Promise<void> => rechecks.get(request)?.()

/**
 * `needs: 'admin'` on a route: the key is judged before anything of the request is (design: 413; then 401, 403; then 415
 * and 400). On routes with a body that is while the body is read, else before the query and the path are checked.
 */
export const authorization = (authenticator: Authenticator) => {
  const authorize = async (request: Request, capability: Capability): Promise<void> => {
    const principal = await authenticator.authenticate(request.headers.get('x-service-key'))
    if (CAPABILITIES.indexOf(principal.capability) < CAPABILITIES.indexOf(capability)) {
      throw new HttpError(403, `this key lacks the capability: ${capability}`)
    }
    principals.set(request, principal)
    rechecks.set(request, () => authorize(request, capability))
  }
  const judge = async (request: Request, capability: Capability): Promise<void> => {
    if (!principals.has(request)) await authorize(request, capability)
    // No text that is kept or searched has one, and PostgreSQL refuses it. (One in a path is told of by its parameter.)
    if (/\?.*%00/.test(request.url)) throw new HttpError(400, 'the query has a NUL character (%00) in it')
  }
  return new Elysia({ name: 'authorization' }).macro({
    needs: (capability: Capability) => ({
      parse: ({ request }) => readJsonBody(request, () => authorize(request, capability)),
      transform: ({ request }) => judge(request, capability),
    }),
  })
}
