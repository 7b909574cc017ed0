/*
 * Preloaded into the service by `bench search`: says how long its event loop was held, whenever it is asked, and begins anew. Counted
 * are the milliseconds that the thread ran between two turns of the loop: what it waited for a core belongs to the machine.
 */
const runMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
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
