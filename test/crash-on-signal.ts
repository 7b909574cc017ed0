/*
 * Preloaded into a process (`bun --preload`) by a test: SIGUSR2 makes it stumble over a bug, an error that nobody catches; SIGWINCH
 * over one in what nobody waits for.
 */
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new TypeError('a bug in a timer')
  })
})
process.on('SIGWINCH', () => {
  void Promise.reject(new TypeError('a bug in the background'))
})
