import { type ErrorCode, ServiceError } from '../service-error'

/*
 * Threads that do one task each, so that long work never holds the thread that answers requests, and can be ended at any moment.
 * `runInThread` starts a program as a thread; the program calls `serveTask`.
 */

/** What a thread receives, reports while it runs, and returns. All of it is copied between threads. */
export interface TaskThread {
  task: unknown
  report: unknown
  result: unknown
}

/** A failure in a form that survives the copy. `code`: null unless it is a ServiceError. */
export interface ThreadFailure {
  code: ErrorCode | null
  message: string
  stack: string
}

type FromThread<Thread extends TaskThread> =
  | { kind: 'report'; report: Thread['report'] }
  | { kind: 'done'; result: Thread['result'] }
  | ({ kind: 'failed' } & ThreadFailure)

const STOP = 'stop'

/**
 * Runs a task in a thread of its own. `program`: the file of the thread. When `signal` aborts, the thread gets `stopMs` to end the task, and
 * then it is terminated.
 *
 * @throws what the task throws; the signal's reason when it aborts
 */
export const runInThread = async <Thread extends TaskThread>(
  program: URL,
  task: Thread['task'],
  {
    signal,
    onReport,
    stopMs = 0,
  }: { signal: AbortSignal; onReport: (report: Thread['report']) => void; stopMs?: number },
): Promise<Thread['result']> => {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Thread['result']>()
  const thread = new Worker(program)
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    if (stopMs === 0) return reject(signal.reason)
    thread.postMessage(STOP)
    timer = setTimeout(() => reject(signal.reason), stopMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  thread.onerror = ({ message }) => reject(new Error(`the thread failed: ${message}`))
  thread.onmessage = ({ data }: MessageEvent<FromThread<Thread>>) => {
    if (data.kind === 'report') onReport(data.report)
    else if (signal.aborted) reject(signal.reason)
    else if (data.kind === 'failed') reject(toError(data))
    else resolve(data.result)
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

declare const self: Worker

/** Lets this thread do the task that `runInThread` sends. `signal` aborts when the caller wants the task to end early. */
export const serveTask = <Thread extends TaskThread>(
  run: (
    task: Thread['task'],
    context: { signal: AbortSignal; report: (report: Thread['report']) => void },
  ) => Promise<Thread['result']>,
): void => {
  const stopping = new AbortController()
  const post = (message: FromThread<Thread>): void => self.postMessage(message)
  self.onmessage = async ({ data }: MessageEvent<Thread['task'] | typeof STOP>) => {
    if (data === STOP) return stopping.abort()
    try {
      const report = (report: Thread['report']) => post({ kind: 'report', report })
      post({ kind: 'done', result: await run(data, { signal: stopping.signal, report }) })
    } catch (error) {
      post({ kind: 'failed', ...describeFailure(error) })
    }
  }
}

export const describeFailure = (error: unknown): ThreadFailure => {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  return { code: error instanceof ServiceError ? error.code : null, message, stack }
}

export const toError = ({ code, message, stack }: ThreadFailure): Error => {
  if (code !== null) return new ServiceError(code, message)
  const error = new Error(message)
  error.stack = stack
  return error
}
