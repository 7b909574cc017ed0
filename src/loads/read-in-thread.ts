import { runInThread } from '../../core/concurrency/threads'
import type { FileThread, LoadThread, PreviewThread } from './file-thread'

/** How long a thread may take to discard its staged records. Then it is terminated, and a worker discards them later. */
const STOP_MS = 15_000

interface Watch {
  signal: AbortSignal
  onBytes: (bytes: number) => void
  onSaid?: (line: string) => void
}

/**
 * Runs a task on a file in a thread. When `signal` aborts, the thread discards its staged records, and the signal's reason is thrown.
 *
 * @throws ServiceError as the task
 */
export const readInThread = <Thread extends LoadThread | PreviewThread>(
  task: Thread['task'],
  { signal, onBytes, onSaid = () => {} }: Watch,
): Promise<Thread['result']> =>
  runInThread<Thread & FileThread>(new URL('./file-thread.ts', import.meta.url), task, {
    signal,
    stopMs: STOP_MS,
    onReport: (report) => ('bytes' in report ? onBytes(report.bytes) : onSaid(report.line)),
  })
