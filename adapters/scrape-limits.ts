/**
 * How long one scrape may take, in milliseconds; waiting for turns at hosts is not counted. Portals that need a browser have several
 * slow pages. One exchange with a portal may take the whole of a plain scrape: a shorter limit would cut off portals that answer late
 * but in time.
 */
export const SCRAPE_LIMIT_MS = { plain: 60_000, browser: 120_000 } as const
