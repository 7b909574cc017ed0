import type { BrowserPage } from '../adapter'

const READY_MS = 15_000

const patience = new WeakMap<BrowserPage, number>()

/** How long this page's scripts have to bring what is awaited of them; a check whose pages bring nothing need not wait long. */
export const setPatience = (page: BrowserPage, readyMs: number): void => {
  patience.set(page, readyMs)
}

export const patienceOf = (page: BrowserPage): number => patience.get(page) ?? READY_MS
