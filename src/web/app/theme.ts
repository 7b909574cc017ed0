export type Theme = 'light' | 'dark'

const systemDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const YEAR_S = 31_536_000

export const readTheme = (): Theme => {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : systemDark.matches ? 'dark' : 'light'
}

/** In a cookie, so that the page comes in its theme from the server: no script, and no flash of the other one. */
export const chooseTheme = (theme: Theme): void => {
  document.documentElement.dataset.theme = theme
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `pds_theme=${theme}; path=/; max-age=${YEAR_S}; samesite=lax`
  for (const listener of listeners) listener()
}

/** Calls back when the theme is another one, until what is returned is called. */
export const listenToTheme = (listener: () => void): (() => void) => {
  listeners.add(listener)
  systemDark.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    systemDark.removeEventListener('change', listener)
  }
}
