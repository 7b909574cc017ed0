import type { Scrape } from '../../../adapters/scrape'
import type { ParcelInput } from '../../../drizzle/records'

/** What one scrape brought that none after it has brought again. */
export interface OriginScrape {
  /** When the portal was read. */
  at: string
  /** The job; null for a scrape without one, and for a crawl. */
  job: string | null
  /** Columns of the parcel, by name, with what was brought; a boundary is only marked. */
  columns: Record<string, unknown>
  /** Names of fields of `scrape_data`. */
  data: string[]
}

/** Which scrapes the fields of a parcel are from, the newest first: `parcels.scrape_origins`. */
export interface ScrapeOrigins {
  /** All scrapes there ever were are in it: what is not, came from an ingest. */
  complete: boolean
  scrapes: OriginScrape[]
}

/** Where the fields of a parcel are from after one more scrape. `wasScraped`: it had been scraped before, noted or not. */
export const addOrigin = (
  before: ScrapeOrigins | null,
  { parcel, scrape }: { parcel: ParcelInput; scrape: Scrape },
  { jobId, wasScraped }: { jobId: string | null; wasScraped: boolean },
): ScrapeOrigins => {
  const columns = toColumns(parcel)
  const data = Object.keys(scrape)
  const older = (before?.scrapes ?? []).map(({ columns: had, data: hadData, ...rest }) => ({
    ...rest,
    columns: Object.fromEntries(Object.entries(had).filter(([name]) => !Object.hasOwn(columns, name))),
    data: hadData.filter((name) => !data.includes(name)),
  }))
  return {
    complete: before?.complete ?? !wasScraped,
    scrapes: [
      { at: scrape.fetched_at, job: jobId, columns, data },
      ...older.filter(({ columns, data }) => data.length > 0 || Object.keys(columns).length > 0),
    ],
  }
}

/** As `upsertParcels` stores what a scrape brings. */
const toColumns = ({
  sourceParcelId: _,
  bbox: __,
  geom,
  ownerNamesAll,
  ...fields
}: ParcelInput): Record<string, unknown> => {
  const names = ownerNamesAll ?? (fields.ownerName == null ? [] : [fields.ownerName])
  const brought = { ...fields, ownerNamesAll: names.length === 0 ? null : names, geom: geom == null ? null : true }
  return Object.fromEntries(
    Object.entries(brought)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  )
}
