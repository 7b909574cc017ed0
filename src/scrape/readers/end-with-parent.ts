/*
 * A thread of a reader: ends the process when the service that started it is gone, even during an endless loop. The parent's pid
 * comes from the environment, because Bun reads `process.ppid` only once.
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
