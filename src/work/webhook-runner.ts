import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { type DrainOptions, drainReceiver } from '../watches/drain-receiver'
import type { WorkRunner } from './runner'

/** Receivers that a process sends to at a time. */
const MAX_AT_ONCE = 8
/** A receiver's queue is never given up, only its deliveries. */
const MAX_FAILURES = 1_000_000

/**
 * Sends webhooks. One piece of work is one turn of one receiver, which sends what is due there.
 *
 * Not one piece of work for each delivery: the limit of requests at a time is the receiver's, and a receiver that hangs must not take the
 * places of others in a claim. Also, each piece of work has a lease to extend and three events; a turn has them once for all its
 * deliveries. The lease makes one process at a time send to a receiver, so a delivery needs no lease and no claim of its own.
 */
export const createWebhookRunner = (options: DrainOptions): WorkRunner => ({
  kind: WORK_KINDS.webhooks,
  mostAtOnce: MAX_AT_ONCE,
  mostFailures: MAX_FAILURES,
  isWorthRetrying: () => true,
  run: ({ id, attempt, subject }, { sql, signal, advance }) =>
    drainReceiver(
      { id, attempt, receiver: subject ?? '' },
      { sql, signal, advance: (counts) => advance({ done: counts.delivered, result: counts }) },
      options,
    ),
})
