import type { Caller } from '../../../core/fair-turns'
import { principalOf } from './auth'

/** Who makes this request, for a queue that is fair to all callers. People with several keys are one caller. */
export const callerOf = (request: Request): Caller => {
  const { accountId, callerHash } = principalOf(request)
  return { id: accountId ?? callerHash, signal: request.signal }
}
