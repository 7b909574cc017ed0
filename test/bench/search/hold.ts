import { dlopen } from 'bun:ffi'

/*
 * Preloaded into the service by `bench search`: says how long its event loop was held, whenever it is asked, and begins anew. Counted
 * are the milliseconds that the thread ran between two turns of the loop: what it waited for a core belongs to the machine.
 */
const CLOCK_THREAD_CPUTIME_ID = 3
const { symbols: libc } = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } })
const time = new BigInt64Array(2)
/** `process.threadCpuUsage` moves with the ticks of the scheduler only, every 4 ms. */
const runMs = (): number => {
  libc.clock_gettime(CLOCK_THREAD_CPUTIME_ID, time)
  return Number(time[0]) * 1e3 + Number(time[1]) / 1e6
}
let longest = 0
let before = { at: performance.now(), ran: runMs() }
setInterval(() => {
  const now = { at: performance.now(), ran: runMs() }
  longest = Math.max(longest, Math.min(now.at - before.at, now.ran - before.ran))
  before = now
}, 1).unref()
process.on('message', () => {
  process.send?.({ longest })
  longest = 0
})
