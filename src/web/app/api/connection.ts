import { useSyncExternalStore } from 'react'

/** When the service stopped answering; null: it answers. */
let lostAt: number | null = null
const listeners = new Set<() => void>()

const change = (at: number | null): void => {
  if ((lostAt === null) === (at === null)) return
  lostAt = at
  for (const listener of listeners) listener()
}

/** The service answered a request that was sent at `askedAt`. If that was before it stopped answering, the answer says nothing about now. */
export const noteAnswer = (askedAt: number): void => {
  if (askedAt >= (lostAt ?? 0)) change(null)
}
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
