import type { Caller } from '../../../core/concurrency/fair-turns'
import { principalOf } from './auth'

/** The caller of this request, for fair queueing. All keys of one account count as one caller. */
export const callerOf = (request: Request): Caller => {
  const { accountId, callerHash } = principalOf(request)
  return { id: accountId ?? callerHash, signal: request.signal }
}
