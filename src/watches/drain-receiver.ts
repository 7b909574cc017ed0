import { createAlarm } from '../../core/concurrency/alarm'
import type { Sql, Transaction } from '../../core/postgres/database'
import { type DueDelivery, endTurn, listDueDeliveries } from '../../drizzle/queries/watches/due-deliveries'
import { type RetryTimes, recordDelivered, recordFailure } from '../../drizzle/queries/watches/record-response'
import type { WorkAttempt } from '../../drizzle/queries/work/claim-work'
import { LEASE_MS } from '../scrape/lease'
import { type SendOptions, sendWebhook } from './send-webhook'

export interface DrainOptions extends Omit<SendOptions, 'signal'>, RetryTimes {
  /** Requests to one receiver at a time. */
  mostAtOnce: number
  /** After this time, no request starts, so that other receivers get a turn. */
  turnMs: number
  /** The pause before the first retry. Each later one is three times as long. */
  firstRetryMs: number
  longestRetryMs: number
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export const DRAIN_DEFAULTS: Omit<DrainOptions, 'userAgent' | 'allowPrivate'> = {
  mostAtOnce: 8,
  timeoutMs: 15_000,
  turnMs: 20_000,
  firstRetryMs: 5_000,
  longestRetryMs: 6 * HOUR_MS,
  giveUpAfterMs: 72 * HOUR_MS,
  failuresBeforeHold: 8,
  firstHoldMs: 10_000,
  longestHoldMs: 10 * MINUTE_MS,
}

/** Maximum deliveries of one watch that one query returns. */
const PAGE = 100
/** How often to look for new deliveries while requests are in progress. */
const LOOK_AGAIN_MS = 1_000
/** How often to record progress. */
const REPORT_EVERY_MS = 1_000

export interface DrainTools {
  sql: Sql
  /** Aborts when another process has the work, or this process stops. */
  signal: AbortSignal
  /** Records progress. Throws if this attempt is no longer the current one. */
  advance: (counts: { delivered: number; failed: number }) => Promise<void>
}

/**
 * Sends the due deliveries to one receiver, some requests at a time, until nothing is due or the turn is over. Then queues the next
 * turn. Among the deliveries of a watch and parcel, only the first remaining one is due, so the order is kept. If the process is
 * killed, the next attempt resends deliveries without a recorded response, with the same ids.
 *
 * @throws the signal's reason
 */
export const drainReceiver = async (
  { receiver, ...work }: WorkAttempt & { receiver: string },
  { sql, signal, advance }: DrainTools,
  options: DrainOptions,
): Promise<{ delivered: number; failed: number }> => {
  const counts = { delivered: 0, failed: 0 }
  const endsAt = performance.now() + options.turnMs
  const inFlight = new Map<string, Promise<void>>()
  const alarm = createAlarm()
  /** The first error of this process, such as a lost database connection. A receiver's response is not an error. */
  let problem: unknown = null
  const fail = (error: unknown) => {
    problem ??= error
  }
  const leftMs = () => (problem === null && !signal.aborted ? endsAt - performance.now() : 0)

  const deliver = async (delivery: DueDelivery): Promise<void> => {
    const sent = await sendWebhook(delivery, { ...options, signal })
    const { id } = delivery
    const isRecorded =
      sent.error === null
        ? await recordDelivered(sql, work, { id, response: sent.response })
        : await recordFailure(
            sql,
            work,
            { ...sent, id, error: sent.error, retryInMs: retryInMs(delivery, sent) },
            options,
          )
    // The watch was deleted, or another process has the work and sends the same deliveries.
    if (!isRecorded) return advance(counts)
    if (sent.error === null) counts.delivered++
    else counts.failed++
  }
  const retryInMs = ({ attempts }: DueDelivery, { retryAfterMs }: { retryAfterMs: number | null }): number => {
    const { firstRetryMs, longestRetryMs } = options
    // Adds up to a tenth, so that deliveries that failed together are not retried together.
    const backOffMs = Math.min(firstRetryMs * 3 ** Math.min(attempts, 20), longestRetryMs) * (1 + Math.random() / 10)
    return Math.round(Math.min(Math.max(backOffMs, retryAfterMs ?? 0), longestRetryMs * 1.1))
  }
  const start = (delivery: DueDelivery): void => {
    const sending = deliver(delivery)
      .catch(fail)
      .finally(() => {
        inFlight.delete(delivery.id)
        alarm.ring()
      })
    inFlight.set(delivery.id, sending)
  }

  const sendDue = async (): Promise<void> => {
    let queue: DueDelivery[] = []
    let failedBefore = 0
    let reportedAt = performance.now()
    while (leftMs() > 0) {
      // After a failure, the watch may be paused.
      if (queue.length === 0 || counts.failed > failedBefore) {
        failedBefore = counts.failed
        if (performance.now() - reportedAt > REPORT_EVERY_MS) {
          await advance(counts)
          reportedAt = performance.now()
        }
        const askedAt = performance.now()
        queue = await listDueDeliveries(sql, receiver, { inFlight: [...inFlight.keys()], limit: PAGE })
        if (queue.length === 0 && inFlight.size === 0) return
        // If this process was frozen meanwhile, another one may have claimed the work, and sent these deliveries and later ones.
        if (performance.now() - askedAt > LEASE_MS / 2) await advance(counts)
      }
      while (queue.length > 0 && inFlight.size < options.mostAtOnce && leftMs() > 0) start(queue.shift() as DueDelivery)
      // One request may hang while the others continue.
      await alarm.wait(Math.min(Math.max(0, leftMs()), LOOK_AGAIN_MS))
    }
  }

  await sendDue().catch(fail)
  await Promise.all(inFlight.values())
  if (problem !== null) throw problem
  signal.throwIfAborted()
  await sql.begin((tx: Transaction) => endTurn(tx, { ...work, receiver }, counts))
  return counts
}
