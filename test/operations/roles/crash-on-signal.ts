/*
 * Tests preload this into a process (`bun --preload`). SIGUSR2 causes an uncaught error, and SIGWINCH an unhandled rejection. The timer is never
 * cleared: like a request without an answer, it must not keep a stopped process alive.
 */
setInterval(() => undefined, 1_000)
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new TypeError('a bug in a timer')
  })
})
process.on('SIGWINCH', () => {
  void Promise.reject(new TypeError('a bug in the background'))
})
