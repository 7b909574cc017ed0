import { runInThread } from '../../core/concurrency/threads'
import { ServiceError } from '../../core/service-error'
import type { MatchOutcome } from '../../search/match/decide'

export interface MatchProgress {
  done: number
  total: number
  rows: number
}

export interface MatchThread {
  task: { databaseUrl: string; id: string; attempt: number }
  report: MatchProgress
  result: Record<MatchOutcome, number>
}

/** A list takes two minutes per million parcels, so its time is not limited. But some parcels are compared in each second. */
const MAX_SILENT_MS = 30 * 60_000

/**
 * Compares a list with the parcels in a thread, and stores the results. Ends the thread when `signal` aborts.
 *
 * @throws ServiceError `bad_input` for a list that cannot be read, `not_found` if it has expired, `timeout`
 */
export const compareListInThread = async (
  task: MatchThread['task'],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: MatchProgress) => Promise<void> },
): Promise<{ counts: Record<MatchOutcome, number> }> => {
  const stopping = new AbortController()
  const timer = setTimeout(
    () => stopping.abort(new ServiceError('timeout', 'no parcel was compared for half an hour')),
    MAX_SILENT_MS,
  )
  let reporting: Promise<void> | null = null
  let latest: MatchProgress | null = null
  /** Only one report at a time. Newer progress replaces progress that still waits. */
  const report = (progress: MatchProgress): void => {
    timer.refresh()
    latest = progress
    reporting ??= (async () => {
      while (latest !== null) {
        const next = latest
        latest = null
        await onProgress(next)
      }
    })().finally(() => {
      reporting = null
    })
    reporting.catch((error) => stopping.abort(error))
  }
  try {
    const counts = await runInThread<MatchThread>(new URL('./match-thread.ts', import.meta.url), task, {
      signal: AbortSignal.any([signal, stopping.signal]),
      onReport: report,
    })
    await reporting
    return { counts }
  } finally {
    clearTimeout(timer)
  }
}
