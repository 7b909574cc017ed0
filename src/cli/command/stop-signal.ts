import { ServiceError } from '../../../core/service-error'

const stop = new AbortController()

/**
 * Aborts at Ctrl-C, and when the process is asked to end, so that a command can clean up. A command that does not call this ends
 * immediately. `reason` is what a command throws that was stopped.
 */
export const listenForStop = (reason = new ServiceError('cancelled', 'stopped')): AbortSignal => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(reason))
  return stop.signal
}

/** Whether the command was told to stop. */
export const isStopped = (): boolean => stop.signal.aborted
