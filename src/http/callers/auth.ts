import { Elysia } from 'elysia'
import { BULK_EXPORT, CAPABILITIES, type Capability } from '../../people/capabilities'
import { readJsonBody } from '../convention/body/body'
import { assignBody, settleBody } from '../convention/body/body-memory'
import { readFilePart } from '../convention/body/file-part'
import { readListBody } from '../convention/body/list-body'
import { refuseBrokenAddress } from '../convention/broken-address'
import { HttpError } from '../convention/errors'
import { type Authenticator, callerIdOf, type Principal, type SignedIn, UNAUTHORIZED } from './authenticator'
import { refuseOtherOrigins } from './same-origin'

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
