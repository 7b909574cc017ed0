import { FILE_READING_BOUNDS } from '../../core/bounds'
import { runInProcess } from '../../core/concurrency/processes'
import type { FileTask, LoadTask, PreviewTask } from './file-process'

/** How long a process may take to discard its staged records. Then it is killed, and a worker discards them later. */
const STOP_MS = 15_000

interface Watch {
  signal: AbortSignal
  onBytes: (bytes: number) => void
  onSaid?: (line: string) => void
}

/**
 * Runs a task on a file in a process, because a library can hang or take any memory on a damaged or hostile file, and only a process can be
 * limited and killed. When `signal` aborts, the process discards its staged records, and the signal's reason is thrown.
 *
 * @throws ServiceError as `runInProcess`, and as the task
 */
export const readInProcess = <Task extends LoadTask | PreviewTask>(
  task: Task['task'],
  { signal, onBytes, onSaid = () => {} }: Watch,
): Promise<Task['result']> =>
  runInProcess<Task & FileTask>(new URL('./file-process.ts', import.meta.url), task, {
    what: 'reading the file',
    bounds: FILE_READING_BOUNDS,
    signal,
    stopMs: STOP_MS,
    onReport: (report) => ('bytes' in report ? onBytes(report.bytes) : onSaid(report.line)),
  })
