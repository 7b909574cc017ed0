import { keepThread, takeThread } from './kept-threads'
import { type FromTask, runTask, type TaskOptions, type TaskShape } from './tasks'

/** People often match a list again with other columns. */
const KEEP_MS = 60_000

/** Runs a task in a thread of its own: see `runTask`. `program`: the file of the thread. */
export const runInThread = <Shape extends TaskShape>(
  program: URL,
  task: Shape['task'],
  options: TaskOptions<Shape>,
): Promise<Shape['result']> =>
  runTask<Shape>(
    (hear, fail) => {
      const thread = takeThread(program)
      thread.onerror = ({ message }) => fail(new Error(`the thread failed: ${message}`))
      thread.onmessage = ({ data }: MessageEvent<FromTask<Shape>>) => hear(data)
      return {
        send: (message) => thread.postMessage(message),
        terminate: () => thread.terminate(),
        release: () => keepThread(program, thread, KEEP_MS),
      }
    },
    task,
    options,
  )
