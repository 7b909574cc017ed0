/*
 * A thread of a reader: ends the process when the service that started it is gone, also in the middle of a loop that never ends. The
 * number of its parent comes from the environment, because Bun asks for `process.ppid` only once.
 */

const EVERY_MS = 1_000
const parent = Number(process.env.READER_OF)

setInterval(() => {
  try {
    process.kill(parent, 0)
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}, EVERY_MS)
