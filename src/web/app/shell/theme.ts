import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const systemDark = () => matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const YEAR_S = 31_536_000

export const readTheme = (): Theme => {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : systemDark().matches ? 'dark' : 'light'
}

/**
 * The theme is in a cookie, so that the server sends the page in this theme and the other theme does not flash first. A person who chooses the
 * system's theme has no choice stored: the app follows the system again.
 */
export const chooseTheme = (theme: Theme): void => {
  const isOfSystem = (theme === 'dark') === systemDark().matches
  if (isOfSystem) delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `pds_theme=${theme}; path=/; max-age=${isOfSystem ? 0 : YEAR_S}; samesite=lax`
  for (const listener of listeners) listener()
}

/** Calls back when the theme changes, until the returned function is called. */
export const listenToTheme = (listener: () => void): (() => void) => {
  listeners.add(listener)
  const system = systemDark()
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

export const useTheme = (): Theme =>
  // A page that the service sends is light until its scripts run.
  useSyncExternalStore(listenToTheme, readTheme, () => 'light')
