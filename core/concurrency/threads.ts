import { type FromTask, runTask, type TaskOptions, type TaskShape } from './tasks'

/** Runs a task in a thread of its own: see `runTask`. `program`: the file of the thread. */
export const runInThread = <Shape extends TaskShape>(
  program: URL,
  task: Shape['task'],
  options: TaskOptions<Shape>,
): Promise<Shape['result']> =>
  runTask<Shape>(
    (hear, fail) => {
      const thread = new Worker(program)
      thread.onerror = ({ message }) => fail(new Error(`the thread failed: ${message}`))
      thread.onmessage = ({ data }: MessageEvent<FromTask<Shape>>) => hear(data)
      return { send: (message) => thread.postMessage(message), terminate: () => thread.terminate() }
    },
    task,
    options,
  )
