import { type ErrorCode, ServiceError } from '../../core/service-error'
import type { FileTask, FromFileThread } from './file-thread'

/** How long a thread may take to discard what it has staged. Then it is ended, and a worker discards it later. */
const STOP_MS = 15_000

interface Watch {
  signal: AbortSignal
  onBytes: (bytes: number) => void
  onSaid?: (line: string) => void
}

type Answer<Task extends FileTask> = Extract<
  FromFileThread,
  { kind: Task['kind'] extends 'load' ? 'loaded' : 'previewed' }
>

/**
 * Runs a task on a file in a thread. When `signal` aborts, the thread discards what it has staged, and the signal's reason is thrown.
 *
 * @throws ServiceError as the task
 */
export const readInThread = async <Task extends FileTask>(
  task: Task,
  { signal, onBytes, onSaid = () => {} }: Watch,
): Promise<Answer<Task>> => {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Answer<Task>>()
  const thread = new Worker(new URL('./file-thread.ts', import.meta.url))
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    thread.postMessage('stop')
    timer = setTimeout(() => reject(signal.reason), STOP_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  thread.onerror = ({ message }) => reject(new Error(`the thread failed: ${message}`))
  thread.onmessage = ({ data }: MessageEvent<FromFileThread>) => {
    if (data.kind === 'progress') onBytes(data.bytes)
    else if (data.kind === 'said') onSaid(data.line)
    else if (data.kind === 'failed') reject(signal.aborted ? signal.reason : toError(data))
    else if (signal.aborted) reject(signal.reason)
    else resolve(data as Answer<Task>)
  }
  thread.postMessage(task)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    thread.terminate()
  }
}

const toError = ({ code, message, stack }: { code: string | null; message: string; stack: string }): Error => {
  if (code !== null) return new ServiceError(code as ErrorCode, message)
  const error = new Error(message)
  error.stack = stack
  return error
}
