import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { type DrainOptions, drainReceiver } from '../watches/drain-receiver'
import type { WorkRunner } from './runner'

/** Maximum receivers that a process sends to at a time, with up to 8 requests to each. */
const MAX_AT_ONCE = 20
/** Places for receivers that accepted their last request, so that they do not wait for those that hang. */
const RESERVED = 8
/** The service gives up single deliveries, but never a receiver's queue. */
const MAX_FAILURES = 1_000_000

/**
 * Sends webhooks. One piece of work is one turn of one receiver, which sends all due deliveries.
 *
 * There is not one piece of work per delivery, because the limit of concurrent requests is per receiver, and a hanging receiver must
 * not take the places of others in a claim. Also, each piece of work has a lease to extend and three events, which a turn needs only
 * once for all its deliveries. Because of the lease, only one process at a time sends to a receiver, so a delivery needs no lease or
 * claim of its own.
 */
export const createWebhookRunner = (options: DrainOptions): WorkRunner => ({
  kind: WORK_KINDS.webhooks,
  mostAtOnce: MAX_AT_ONCE,
  reserved: RESERVED,
  mostFailures: MAX_FAILURES,
  isWorthRetrying: () => true,
  run: ({ id, attempt, subject }, { sql, signal, advance }) =>
    drainReceiver(
      { id, attempt, receiver: subject ?? '' },
      { sql, signal, advance: (counts) => advance({ done: counts.delivered, result: counts }) },
      options,
    ),
})
