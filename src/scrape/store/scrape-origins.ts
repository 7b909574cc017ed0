import type { Scrape } from '../../../adapters/scrape'
import { fieldKey, type ParcelField, parcelFields } from '../../../core/parcel-fields'
import type { ParcelInput } from '../../../drizzle/records'

/** The fields whose current values came from one scrape. */
export interface OriginScrape {
  /** When the portal was scraped. */
  at: string
  /** The job; null for a scrape without one, and for a crawl. */
  job: string | null
  /** The parcel's columns and the scraped values. For the boundary, only `true`. */
  columns: Record<string, unknown>
  /** Names of fields of `scrape_data`. */
  data: string[]
}

/** Which scrape each field of a parcel came from, newest scrape first (`parcels.scrape_origins`). */
export interface ScrapeOrigins {
  /** Whether all scrapes are listed. If so, fields that are not listed came from an ingest. */
  complete: boolean
  scrapes: OriginScrape[]
}

/** The origins after another scrape. `wasScraped`: whether the parcel was scraped before, even if `before` does not list it. */
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

/** The columns that `upsertParcels` writes for a parcel, with their values. */
const toColumns = (parcel: ParcelInput): Record<string, unknown> => {
  const columns: Record<string, unknown> = {}
  for (const field of parcelFields) {
    const value = parcel[field.key] ?? defaultOf(field, parcel)
    if (value !== null && !(Array.isArray(value) && value.length === 0)) columns[field.name] = value
  }
  if (parcel.geom != null) columns.geom = true
  return columns
}

const defaultOf = (field: ParcelField, parcel: ParcelInput): unknown => {
  const text = field.type === 'list' ? parcel[fieldKey(field.defaultFrom)] : null
  return text == null ? null : [text]
}
