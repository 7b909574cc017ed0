import type { Scrape } from '../../../adapters/scrape'
import { fieldKey, type ParcelField, parcelFields } from '../../../core/parcel-fields'
import type { ParcelInput } from '../../../drizzle/records'

/** The fields that are from one scrape: no later scrape had them. */
export interface OriginScrape {
  /** When the portal was scraped. */
  at: string
  /** The job; null for a scrape without one, and for a crawl. */
  job: string | null
  /** The parcel's columns with the scraped values; a boundary is only marked. */
  columns: Record<string, unknown>
  /** Names of fields of `scrape_data`. */
  data: string[]
}

/** The scrape that each field of a parcel is from, newest first: `parcels.scrape_origins`. */
export interface ScrapeOrigins {
  /** All scrapes are listed: fields that are not in the list are from an ingest. */
  complete: boolean
  scrapes: OriginScrape[]
}

/** Updates the origins after one more scrape. `wasScraped`: the parcel was scraped before, recorded here or not. */
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
