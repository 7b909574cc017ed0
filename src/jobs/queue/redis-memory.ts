import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { createAlarm } from '../../../core/concurrency/alarm'

export interface MemoryEvents {
  /** Redis may have lost all of its data or the latest writes. If it throws, it is called again. */
  onLost: () => Promise<void>
  onError: (error: Error) => void
  /** Redis answers and accepts writes. */
  onAnswer: () => void
}

/** How often each process checks whether Redis has lost its data. */
const CHECK_MS = 1_000

/**
 * Detects lost data. The first process that finds no value at `key` writes a new random one; the others see that the value has changed. So
 * every process notices, even if its connection never broke (FLUSHALL) and another process was faster. After a broken connection,
 * data counts as lost too.
 */
export const watchMemory = (
  connection: Redis,
  key: string,
  { onLost, onError, onAnswer }: MemoryEvents,
): { stop: () => void } => {
  const alarm = createAlarm()
  let isStopped = false
  let wasReady = false
  let isDoubtful = false
  /** The last known value; null if not read yet. */
  let known: string | null = null

  connection.on('ready', () => {
    isDoubtful ||= wasReady
    wasReady = true
    alarm.ring()
  })

  const read = async (): Promise<string | null> => {
    // A server that is full or read-only refuses this even if the key exists.
    await connection.set(key, randomUUID(), 'NX')
    return connection.get(key)
  }

  const check = async (): Promise<void> => {
    const found = await read()
    onAnswer()
    isDoubtful ||= known !== null && found !== known
    known = found
    if (!isDoubtful) return
    // First, because the connection may break again meanwhile.
    isDoubtful = false
    await onLost().catch((error) => {
      isDoubtful = true
      throw error
    })
  }

  const watch = async (): Promise<void> => {
    while (!isStopped) {
      await check().catch((error) => isStopped || onError(error))
      await alarm.wait(CHECK_MS)
    }
  }
  void watch()

  return {
    stop() {
      isStopped = true
      alarm.ring()
    },
  }
}
