import { isUuid, toUuid } from '../../../core/text/uuid'
import type { Requester } from '../../../drizzle/queries/jobs/order/watchers'
import { HttpError } from '../convention/errors'
import { actsAsAdmin, principalOf } from './auth'
import type { Principal } from './authenticator'

/**
 * The id (UUID) under which a caller receives events about its own jobs. With an account it is the account's id, so all keys and
 * sessions of the account receive the same events. Otherwise it is the first half of the key's hash.
 */
export const watcherOf = ({ accountId, callerHash }: Pick<Principal, 'accountId' | 'callerHash'>): string =>
  accountId ?? toUuid(callerHash.slice(0, 32))

/** Whose watches, lists and exports this caller may list. Null: everybody's. */
export const ownerOf = (principal: Principal): string | null =>
  principal.capability === 'admin' ? null : watcherOf(principal)

/**
 * Finds or changes a watch, list or export by its id. `find` gets the owner to search, or null to search all owners. Callers find their
 * own; admins also find those of other callers, and then the request is recorded as an admin action, unless it is a GET.
 *
 * @throws HttpError 404
 */
export const findOwned = async <Found>(
  request: Request,
  id: string,
  find: (owner: string | null) => Promise<Found | null | false>,
): Promise<Found> => {
  const principal = principalOf(request)
  if (!isUuid(id)) throw new HttpError(404, 'not found')
  const own = await find(watcherOf(principal))
  if (own) return own
  const others = principal.capability === 'admin' && (await find(null))
  if (!others) throw new HttpError(404, 'not found')
  actsAsAdmin(request)
  return others
}

/** The caller of this request, as the requester of the jobs it queues. */
export const requesterOf = (request: Request): Requester => {
  const principal = principalOf(request)
  return { name: principal.actor, watcher: watcherOf(principal) }
}
