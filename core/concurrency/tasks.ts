import { codeOf } from '../error-code'
import { type ErrorCode, ServiceError } from '../service-error'

/*
 * Tasks that run outside of the thread that answers requests, and can be ended at any moment: in a thread (threads.ts), or in a process,
 * which can also be killed and limited (processes.ts). The program of either calls `serveTask`.
 */

/** What a task receives, reports while it runs, and returns. All of it is copied. */
export interface TaskShape {
  task: unknown
  report: unknown
  result: unknown
}

/**
 * A failure in a form that survives the copy. `code`: null unless it is a ServiceError. `foreignCode`: the code of another error, such as
 * one of the database, which decides if the task is worth retrying.
 */
export interface TaskFailure {
  code: ErrorCode | null
  foreignCode: string | null
  message: string
  stack: string
}

export type FromTask<Shape extends TaskShape> =
  | { kind: 'alive' }
  | { kind: 'report'; report: Shape['report'] }
  | { kind: 'done'; result: Shape['result'] }
  | ({ kind: 'failed' } & TaskFailure)

const STOP = 'stop'

export interface TaskOptions<Shape extends TaskShape> {
  signal: AbortSignal
  onReport: (report: Shape['report']) => void
  /** When `signal` aborts, the task gets this long to end itself. Then it is terminated. Default: 0 */
  stopMs?: number
}

/** Where a task runs. */
interface Host {
  send: (message: unknown) => void
  terminate: () => void
  /** Called instead of `terminate` after the task's result. */
  release?: () => void
}

/**
 * Runs a task in the host that `start` starts. The host passes messages of the task to `hear`, and calls `fail` if it ends without a result.
 *
 * @throws what the task throws; what `fail` was called with; the signal's reason when it aborts
 */
export const runTask = async <Shape extends TaskShape>(
  start: (hear: (message: FromTask<Shape>) => void, fail: (error: Error) => void) => Host,
  task: Shape['task'],
  { signal, onReport, stopMs = 0 }: TaskOptions<Shape>,
): Promise<Shape['result']> => {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Shape['result']>()
  const hear = (message: FromTask<Shape>): void => {
    if (message.kind === 'alive') return
    if (message.kind === 'report') onReport(message.report)
    else if (signal.aborted) reject(signal.reason)
    else if (message.kind === 'failed') reject(toError(message))
    else resolve(message.result)
  }
  const host = start(hear, (error) => reject(signal.aborted ? signal.reason : error))
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    if (stopMs === 0) return reject(signal.reason)
    host.send(STOP)
    timer = setTimeout(() => reject(signal.reason), stopMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  host.send(task)
  let end = host.terminate
  try {
    const result = await promise
    end = host.release ?? host.terminate
    return result
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    end()
  }
}

declare const self: Worker

/** How often a process says that its event loop runs. */
const ALIVE_EVERY_MS = 500

/** Lets this thread or process do the task that it is sent. `signal` aborts when the caller wants the task to end early. */
export const serveTask = <Shape extends TaskShape>(
  run: (
    task: Shape['task'],
    context: { signal: AbortSignal; report: (report: Shape['report']) => void },
  ) => Promise<Shape['result']>,
): void => {
  const stopping = new AbortController()
  const hear = async (message: unknown, post: (message: FromTask<Shape>) => void): Promise<void> => {
    if (message === STOP) return stopping.abort()
    try {
      const report = (report: Shape['report']) => post({ kind: 'report', report })
      post({ kind: 'done', result: await run(message, { signal: stopping.signal, report }) })
    } catch (error) {
      post({ kind: 'failed', ...describeFailure(error) })
    }
  }
  if (!Bun.isMainThread) {
    self.onmessage = ({ data }: MessageEvent) => hear(data, (message) => self.postMessage(message))
    return
  }
  const post = (message: FromTask<Shape>): void => void process.send?.(message)
  process.on('message', (message: unknown) => hear(message, post))
  process.on('disconnect', () => process.exit(0))
  setInterval(() => post({ kind: 'alive' }), ALIVE_EVERY_MS)
  new Worker(new URL('./end-with-parent.ts', import.meta.url).href, { smol: true })
}

export const describeFailure = (error: unknown): TaskFailure => {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof ServiceError) return { code: error.code, foreignCode: null, message, stack }
  return { code: null, foreignCode: codeOf(error), message, stack }
}

export const toError = ({ code, foreignCode, message, stack }: TaskFailure): Error => {
  if (code !== null) return new ServiceError(code, message)
  const error = new Error(message)
  error.stack = stack
  return foreignCode === null ? error : Object.assign(error, { code: foreignCode })
}
