import { useSyncExternalStore } from 'react'

/** A key that a person typed in: kept in this tab until it closes, and sent to this service alone. */
const NAME = 'parcel-key'
const listeners = new Set<() => void>()

export const readKey = (): string | null => sessionStorage.getItem(NAME)

export const keepKey = (key: string | null): void => {
  if (key === null || key === '') sessionStorage.removeItem(NAME)
  else sessionStorage.setItem(NAME, key)
  for (const listener of listeners) listener()
}

/** Calls back when the key changes, until the returned function is called. */
const listenToKey = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useKey = (): string | null => useSyncExternalStore(listenToKey, readKey, () => null)
