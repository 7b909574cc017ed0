/**
 * Time limit of one scrape in milliseconds. Waiting for turns at hosts is not counted. Portals that need a browser have several slow
 * pages. One request may use the whole limit of a plain scrape: a shorter limit would cut off slow portals that still answer in time.
 */
export const SCRAPE_LIMIT_MS = { plain: 60_000, browser: 120_000 } as const
