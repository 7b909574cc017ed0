import type { Requester } from '../../../drizzle/queries/jobs/order/watchers'
import { type Principal, principalOf } from './auth'

/**
 * By what a caller is told of its own (UUID): its account, so that all of its keys and its pages are told the same; where there is
 * none, the key itself, as the first half of its hash.
 */
export const watcherOf = ({ accountId, callerHash }: Pick<Principal, 'accountId' | 'callerHash'>): string =>
  accountId ?? callerHash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Who makes this request, for the jobs that it asks for. */
export const requesterOf = (request: Request): Requester => {
  const principal = principalOf(request)
  return { name: principal.actor, watcher: watcherOf(principal) }
}
