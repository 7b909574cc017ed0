/** How the current page was reached. */
let reachedBy: 'load' | 'link' | 'history' = 'load'
// `main.tsx` imports this file, so these listeners are older than wouter's, after which React renders the new page. Chromium calls the listeners
// of a window in their order, whatever their phase. `pushState` is wouter's event.
addEventListener('popstate', () => note('history'))
addEventListener('pushState', () => note('link'))

const note = (by: typeof reachedBy): void => {
  reachedBy = by
}

/** Whether the document was loaded with the current page, so the browser places the focus and the scroll position. */
export const isLoadedPage = (): boolean => reachedBy === 'load'

/** Whether Back or Forward led to the current page, so it is shown as it was left. */
export const isReturn = (): boolean => reachedBy === 'history'

/** Of the last pages. Each text that was searched for is a page. */
const kept = new Map<string, number>()
const MAX_KEPT = 500
const placeOf = (name: string): string => `${location.pathname}${location.search} ${name}`

/** Keeps a number of the current page, such as a scroll position, for when Back or Forward leads to it again. */
export const keepForReturn = (name: string, value: number): void => {
  const place = placeOf(name)
  kept.delete(place)
  kept.set(place, value)
  const [oldest] = kept.keys()
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
}

/** The number that was kept, if Back or Forward led to the page. */
export const recallOnReturn = (name: string): number | undefined => (isReturn() ? kept.get(placeOf(name)) : undefined)
