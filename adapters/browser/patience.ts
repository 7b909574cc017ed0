import type { BrowserPage } from '../adapter'

/** How long a page may take to show its content, by default. */
export const READY_MS = 15_000

const patience = new WeakMap<BrowserPage, number>()

/** How long to wait for content that this page's scripts load. Tests whose pages load nothing set a short time. */
export const setPatience = (page: BrowserPage, readyMs: number): void => {
  patience.set(page, readyMs)
}

export const patienceOf = (page: BrowserPage): number => patience.get(page) ?? READY_MS
