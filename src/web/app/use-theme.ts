import { useSyncExternalStore } from 'react'
import { listenToTheme, readTheme, type Theme } from './theme'

export const useTheme = (): Theme => useSyncExternalStore(listenToTheme, readTheme)
