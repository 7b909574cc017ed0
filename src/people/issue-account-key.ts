import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { lockKeyAllowance } from '../../drizzle/queries/people/api-keys'
import { issueKey } from './issue-key'

/** People cannot keep track of more valid keys than this. */
export const MAX_LIVE_KEYS = 50

/** Capabilities that a key of an account can have besides `read`. They need a paid plan. */
export const PAID_CAPABILITIES = ['enqueue', 'bulk-export'] as const
export type PaidCapability = (typeof PAID_CAPABILITIES)[number]

/**
 * Issues a key to a person's account, whose row stays locked until the transaction ends. The plaintext is returned only once.
 *
 * @throws ServiceError `not_allowed` for a key with more than `read` without a paid plan; `conflict` when the account has 50 valid
 * keys; `not_found` when the account does not exist
 */
export const issueAccountKey = async (
  tx: Transaction,
  accountId: string,
  { name, capabilities: paid }: { name: string; capabilities: readonly PaidCapability[] },
): Promise<{ id: string; createdAt: string; capabilities: string[]; key: string }> => {
  const allowance = await lockKeyAllowance(tx, accountId)
  if (allowance === null) throw new ServiceError('not_found', 'not found')
  if (paid.length > 0 && allowance.plan !== 'paid') {
    throw new ServiceError(
      'not_allowed',
      'keys that may request scrapes (enqueue) or exports (bulk-export) need a paid plan',
    )
  }
  if (allowance.liveKeys >= MAX_LIVE_KEYS) {
    throw new ServiceError('conflict', `an account can have at most ${MAX_LIVE_KEYS} valid keys: revoke one first`)
  }
  const capabilities = ['read', ...PAID_CAPABILITIES.filter((capability) => paid.includes(capability))]
  return { ...(await issueKey(tx, { name, capabilities, accountId })), capabilities }
}
