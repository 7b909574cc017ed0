import { type ErrorCode, ServiceError } from '../../core/service-error'
import type { MatchOutcome } from '../../search/match/decide'
import type { FromMatchThread, MatchThreadSetup } from './match-thread'

export interface MatchProgress {
  done: number
  total: number
  rows: number
}

/** A list takes at most two minutes on a million parcels. */
const MAX_MS = 60 * 60_000

/**
 * Compares a list with the parcels in a thread, and stores the answers. Ends the thread when `signal` aborts.
 *
 * @throws ServiceError `bad_input` for a list that cannot be read, `not_found` if it has expired, `timeout`
 */
export const compareListInThread = (
  setup: MatchThreadSetup,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: MatchProgress) => Promise<void> },
): Promise<{ counts: Record<MatchOutcome, number> }> => {
  const { promise, resolve, reject } = Promise.withResolvers<{ counts: Record<MatchOutcome, number> }>()
  const thread = new Worker(new URL('./match-thread.ts', import.meta.url))
  const timer = setTimeout(() => reject(new ServiceError('timeout', 'the list took too long')), MAX_MS)
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  let reporting: Promise<void> | null = null
  let latest: MatchProgress | null = null
  /** One report at a time: progress that arrives in between is replaced by what follows it. */
  const report = (progress: MatchProgress): void => {
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
    reporting.catch(reject)
  }
  thread.onerror = ({ message }) => reject(new Error(`the thread failed: ${message}`))
  thread.onmessage = ({ data }: MessageEvent<FromMatchThread>) => {
    if (data.kind === 'progress') report({ done: data.done, total: data.total, rows: data.rows })
    else if (data.kind === 'failed') reject(toError(data))
    else Promise.resolve(reporting).then(() => resolve({ counts: data.counts }), reject)
  }
  if (signal.aborted) stop()
  else thread.postMessage(setup)
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    thread.terminate()
  })
}

const toError = ({ code, message, stack }: { code: string | null; message: string; stack: string }): Error => {
  if (code !== null) return new ServiceError(code as ErrorCode, message)
  const error = new Error(message)
  error.stack = stack
  return error
}
