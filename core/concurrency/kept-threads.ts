/*
 * Threads that have finished their work and wait for more. A new thread loads and compiles its code for 0.2 to 0.3 s, which is more than much
 * of the work takes.
 */

interface KeptThread {
  thread: Worker
  timer: ReturnType<typeof setTimeout>
}

/** By the URL of their program. */
const kept = new Map<string, KeptThread[]>()

/** A thread of this program: one that was kept, or a new one. */
export const takeThread = (program: URL): Worker => {
  const found = kept.get(program.href)?.pop()
  if (found === undefined) return new Worker(program)
  clearTimeout(found.timer)
  found.thread.ref()
  return found.thread
}

/** Keeps a thread that has done its work, for `takeThread`, for `ms` at most. The process can end meanwhile. */
export const keepThread = (program: URL, thread: Worker, ms: number): void => {
  const threads = kept.get(program.href) ?? []
  kept.set(program.href, threads)
  const forget = () => {
    const at = threads.findIndex((one) => one.thread === thread)
    if (at >= 0) threads.splice(at, 1)
    clearTimeout(timer)
    thread.terminate()
  }
  const timer = setTimeout(forget, ms)
  timer.unref()
  thread.onmessage = null
  thread.onerror = forget
  thread.unref()
  threads.push({ thread, timer })
}
