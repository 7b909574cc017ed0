import type { Signals } from '../../../core/sources/tuner'

/** Signals as text: `412 done, 3 throttled, p50 640 ms, p95 1210 ms`. Zero counts are omitted. */
export const describeSignals = (signals: Signals): string =>
  [
    `${signals.done} done`,
    signals.notFound > 0 && `${signals.notFound} not found`,
    signals.throttled > 0 && `${signals.throttled} throttled`,
    signals.blocked > 0 && `${signals.blocked} blocked`,
    signals.timeouts > 0 && `${signals.timeouts} timed out`,
    signals.otherFailures > 0 && `${signals.otherFailures} failed for other reasons`,
    signals.p50Ms !== null && `p50 ${signals.p50Ms} ms`,
    signals.p95Ms !== null && `p95 ${signals.p95Ms} ms`,
  ]
    .filter((part) => part !== false)
    .join(', ')
