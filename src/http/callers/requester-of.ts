import type { Requester } from '../../../drizzle/queries/jobs/order/watchers'
import { type Principal, principalOf } from './auth'

/**
 * The id (UUID) under which a caller receives events about its own jobs. With an account it is the account's id, so all keys and
 * sessions of the account receive the same events. Otherwise it is the first half of the key's hash.
 */
export const watcherOf = ({ accountId, callerHash }: Pick<Principal, 'accountId' | 'callerHash'>): string =>
  accountId ?? callerHash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Whose watches, lists and exports this caller may see and change. Null: everybody's. */
export const ownerOf = (principal: Principal): string | null =>
  principal.capability === 'admin' ? null : watcherOf(principal)

/** The caller of this request, as the requester of the jobs it queues. */
export const requesterOf = (request: Request): Requester => {
  const principal = principalOf(request)
  return { name: principal.actor, watcher: watcherOf(principal) }
}
