import { fileURLToPath } from 'node:url'
import { ServiceError } from '../service-error'
import { formatCount } from '../text/count-noun'
import { memoryOf, processorMsOf } from './process-usage'
import { type FromTask, runTask, type TaskOptions, type TaskShape } from './tasks'

/** What the process of a task may use. A process beyond one of these bounds is killed. */
export interface ProcessBounds {
  /** Memory of the whole process. */
  memoryBytes: number
  /** Processor time without a sign that its event loop runs. */
  stepMs: number
  /** Time without such a sign, whatever the process does. */
  silentMs: number
}

const LOOK_EVERY_MS = 100

/**
 * Runs a task in a process of its own: see `runTask`. `program`: the file of the process. `what`: the task, for messages, such as
 * `reading the file`. Ctrl-C does not end the process; the end of this process does. On systems without /proc, only `silentMs` limits it.
 *
 * @throws ServiceError `too_large` if the task takes more than its memory, or its processor time for one step; `server_unavailable` if the
 *   process ends or says nothing for another reason, so that it is worth another try; as `runTask`
 */
export const runInProcess = <Shape extends TaskShape>(
  program: URL,
  task: Shape['task'],
  { what, bounds, ...options }: TaskOptions<Shape> & { what: string; bounds: ProcessBounds },
): Promise<Shape['result']> =>
  runTask<Shape>(
    (hear, fail) => {
      const child = Bun.spawn([process.execPath, fileURLToPath(program)], {
        ipc: (message: FromTask<Shape>) => {
          lastSign = processorMsOf(child.pid)
          looks = 0
          hear(message)
        },
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit'],
        // Its own session: Ctrl-C must reach only the service, which stops the task.
        detached: true,
        // It returns the memory that it frees, because it is killed above a bound.
        env: { ...process.env, PARENT_PID: String(process.pid), MIMALLOC_PURGE_DELAY: undefined },
        onExit: (_, code, signal) => end('server_unavailable', `the process ended with ${signal ?? code}`),
      })
      child.unref()
      let lastSign = 0
      // Time is counted in looks, so that the time during which this process was frozen does not count.
      let looks = 0
      const watch = setInterval(() => {
        looks++
        if (memoryOf(child.pid) > bounds.memoryBytes)
          end('too_large', `it takes more than ${formatCount(bounds.memoryBytes / 1024 ** 2)} MB of memory`)
        else if (processorMsOf(child.pid) - lastSign > bounds.stepMs)
          end('too_large', `one step takes more than ${bounds.stepMs / 1_000} s of processor time`)
        else if (looks * LOOK_EVERY_MS > bounds.silentMs)
          end('server_unavailable', `the process did not respond for ${bounds.silentMs / 1_000} s`)
      }, LOOK_EVERY_MS)
      const end = (code: 'too_large' | 'server_unavailable', reason: string): void => {
        terminate()
        fail(new ServiceError(code, `${what} failed: ${reason}`))
      }
      const terminate = (): void => {
        clearInterval(watch)
        try {
          // The process leads a group. Programs that it started are in it.
          process.kill(-child.pid, 'SIGKILL')
        } catch {
          // All have ended.
        }
      }
      const send = (message: unknown): void => {
        try {
          child.send(message)
        } catch {
          // The process has ended, and `onExit` says so.
        }
      }
      return { send, terminate }
    },
    task,
    options,
  )
