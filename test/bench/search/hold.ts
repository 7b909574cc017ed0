import { dlopen } from 'bun:ffi'

/*
 * `bench search` preloads this into the service. From the message `start` to the message `read` it measures the longest block of the event
 * loop, which it then reports. A block is the CPU time of the thread between two turns of the loop, so time spent waiting for a core does
 * not count. Measuring wakes the process a thousand times a second, so it is off while searches are timed.
 */
const CLOCK_THREAD_CPUTIME_ID = 3
const { symbols: libc } = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } })
const time = new BigInt64Array(2)
/** `process.threadCpuUsage` has a resolution of only 4 ms, the scheduler's tick. */
const runMs = (): number => {
  libc.clock_gettime(CLOCK_THREAD_CPUTIME_ID, time)
  return Number(time[0]) * 1e3 + Number(time[1]) / 1e6
}
let longest = 0
let before = { at: 0, ran: 0 }
let timer: NodeJS.Timeout | undefined
process.on('message', (message) => {
  clearInterval(timer)
  if (message === 'read') {
    process.send?.({ longest })
    return
  }
  longest = 0
  before = { at: performance.now(), ran: runMs() }
  timer = setInterval(() => {
    const now = { at: performance.now(), ran: runMs() }
    longest = Math.max(longest, Math.min(now.at - before.at, now.ran - before.ran))
    before = now
  }, 1).unref()
})
