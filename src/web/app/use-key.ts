import { useSyncExternalStore } from 'react'
import { listenToKey, readKey } from './key'

export const useKey = (): string | null => useSyncExternalStore(listenToKey, readKey)
