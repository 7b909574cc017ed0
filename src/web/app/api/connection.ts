import { useSyncExternalStore } from 'react'

/** When the service stopped answering; null: it answers. */
let lostAt: number | null = null
const listeners = new Set<() => void>()

const change = (at: number | null): void => {
  if ((lostAt === null) === (at === null)) return
  lostAt = at
  for (const listener of listeners) listener()
}

export const noteAnswer = (): void => change(null)
export const noteNoAnswer = (): void => change(Date.now())

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener)
  addEventListener('offline', noteNoAnswer)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('offline', noteNoAnswer)
  }
}

/** Since when the service has not answered; null: it answers. */
export const useConnectionLostAt = (): number | null =>
  useSyncExternalStore(
    listen,
    () => lostAt,
    () => null,
  )
