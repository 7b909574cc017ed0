/*
 * A thread of a process that the service started: ends the process when the service is gone, even during an endless loop. The service's
 * pid comes from the environment, because Bun reads `process.ppid` only once.
 */

const EVERY_MS = 1_000
const parent = Number(process.env.PARENT_PID)

setInterval(() => {
  try {
    process.kill(parent, 0)
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}, EVERY_MS)
