import { keepThread, takeThread } from '../../core/concurrency/kept-threads'
import { toError } from '../../core/concurrency/tasks'
import { ServiceError } from '../../core/service-error'
import type { Ask, FromThread, JobName, Jobs, StepCount, ThreadSetup, ToThread } from '../job'

export interface ThreadPool {
  /** Runs a job on the next free thread, first come, first served. */
  run: <Name extends JobName>(job: Name, ask: Jobs[Name]['ask']) => Promise<Jobs[Name]['answer']>
  /** Runs a job on every thread, as each becomes free. Returns the answers in the order of the threads. */
  runOnEach: <Name extends JobName>(job: Name, ask: Jobs[Name]['ask']) => Promise<Jobs[Name]['answer'][]>
  /** Terminates all threads immediately. Open jobs are rejected with `build_stopped`. */
  stop: () => void
  /** Keeps threads without a job for the next build, and stops the pool if there are others. */
  end: () => void
}

const PROGRAM = new URL('./thread.ts', import.meta.url)
/** Updates are at most ten minutes apart while many parcels change (keep-built.ts). */
const KEEP_MS = 11 * 60_000

interface Task {
  message: Ask
  /** Null: any thread. */
  thread: number | null
  resolve: (answer: never) => void
  reject: (error: Error) => void
}

/** Starts a thread for each setup, or takes one that a finished build has left. The first failure ends the whole pool. */
export const startThreads = (setups: readonly ThreadSetup[], onProgress: (done: StepCount) => void): ThreadPool => {
  const waiting: Task[] = []
  const running: (Task | null)[] = setups.map(() => null)
  let failure: Error | null = null

  const fail = (error: Error): void => {
    failure ??= error
    for (const thread of threads) thread.terminate()
    for (const task of [...running.splice(0), ...waiting.splice(0)]) task?.reject(failure)
  }

  const threads = setups.map((setup, index) => {
    const thread = takeThread(PROGRAM)
    thread.onerror = ({ message }) => fail(new Error(`a build thread failed: ${message}`))
    thread.onmessage = ({ data }: MessageEvent<FromThread>) => {
      if (failure !== null) return
      if (data.kind === 'progress') onProgress(data.done)
      else if (data.kind === 'failed') fail(toError(data))
      else {
        const task = running[index]
        running[index] = null
        task?.resolve(data.answer as never)
        next()
      }
    }
    thread.postMessage(setup satisfies ToThread)
    return thread
  })

  const next = (): void => {
    for (const [index, thread] of threads.entries()) {
      if (running[index] !== null) continue
      const at = waiting.findIndex((task) => task.thread === null || task.thread === index)
      const [task] = at < 0 ? [] : waiting.splice(at, 1)
      if (task === undefined) continue
      running[index] = task
      thread.postMessage(task.message)
    }
  }

  const run = <Name extends JobName>(job: Name, ask: Jobs[Name]['ask'], thread: number | null) =>
    new Promise<Jobs[Name]['answer']>((resolve, reject) => {
      if (failure !== null) return reject(failure)
      waiting.push({ message: { job, ask } as Ask, thread, resolve, reject })
      next()
    })

  const stop = () => fail(new ServiceError('build_stopped', 'the build was stopped'))

  return {
    run: (job, ask) => run(job, ask, null),
    runOnEach: (job, ask) => Promise.all(threads.map((_, index) => run(job, ask, index))),
    stop,
    end: () => {
      if (failure !== null) return
      if (waiting.length > 0 || running.some((task) => task !== null)) return stop()
      failure = new Error('the pool has ended')
      for (const thread of threads) {
        thread.postMessage('end' satisfies ToThread)
        keepThread(PROGRAM, thread, KEEP_MS)
      }
    },
  }
}
