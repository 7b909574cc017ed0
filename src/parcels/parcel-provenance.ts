import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../core/postgres/database'
import { findParcelOrigins, type ParcelOriginsRow } from '../../drizzle/queries/parcels/parcel-origins'
import type { OriginScrape, ScrapeOrigins } from '../scrape/store/scrape-origins'

export const ORIGINS = ['ingest', 'scrape', 'review', 'unknown'] as const

export interface FieldOrigin {
  /** Its name in the full record, such as `owner_name` or `scrape_data.sale_history`. */
  field: string
  /** Null for the boundary, which the record has. */
  value: unknown
  /** When its source last had this value (ISO 8601). Null: not stored. */
  observed_at: string | null
  /** `unknown`: an ingest, or a scrape from before origins were stored. */
  origin: (typeof ORIGINS)[number]
  job_id: string | null
}

/** The origin and time of each known field, as far as they are stored. Null for an unknown parcel. */
export const listProvenance = async (db: Db, key: { source: string; id: string }): Promise<FieldOrigin[] | null> => {
  const row = await findParcelOrigins(db, key)
  if (row === null) return null
  const origins = row.origins as ScrapeOrigins | null
  const scrapes = origins?.scrapes ?? []
  const isComplete = origins?.complete ?? row.scrapedAt === null
  const columns = Object.entries({ ...row.columns, ...(row.hasGeom ? { geom: true } : {}) })
  return [
    ...columns
      .filter(([, value]) => isKnown(value))
      .map(([name, value]) => columnOrigin(row, scrapes, isComplete, name, value)),
    ...Object.entries(row.scrapeData).map(([name, value]) => dataOrigin(row, scrapes, name, value)),
  ]
}

const isKnown = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0)

const columnOrigin = (
  { ingestedAt, updatedAt, scrapedAt }: ParcelOriginsRow,
  scrapes: readonly OriginScrape[],
  isComplete: boolean,
  name: string,
  value: unknown,
): FieldOrigin => {
  const isGeom = name === 'geom'
  const field = isGeom ? { field: 'geom_geojson', value: null } : { field: name, value }
  const scrape = scrapes.find(({ columns }) => Object.hasOwn(columns, name))
  if (scrape !== undefined) {
    // A boundary is not compared: it is from this scrape if the row has not changed since.
    const isStill = isGeom ? updatedAt <= (scrapedAt ?? '') : isDeepStrictEqual(scrape.columns[name], value)
    if (isStill) return { ...field, observed_at: scrape.at, origin: 'scrape', job_id: scrape.job }
    return { ...field, observed_at: null, origin: isGeom ? 'unknown' : 'ingest', job_id: null }
  }
  if (!isComplete) return { ...field, observed_at: null, origin: 'unknown', job_id: null }
  // A row that never changed is as it was ingested. For other rows the changed fields are not stored.
  const isUntouched = scrapedAt === null && updatedAt === ingestedAt
  return { ...field, observed_at: isUntouched ? ingestedAt : null, origin: 'ingest', job_id: null }
}

const dataOrigin = (
  { scrapedAt, scrapeData }: ParcelOriginsRow,
  scrapes: readonly OriginScrape[],
  name: string,
  value: unknown,
): FieldOrigin => {
  const field = `scrape_data.${name}`
  if (name === 'review_findings') {
    return { field, value, observed_at: scrapedAt, origin: 'review', job_id: scrapes[0]?.job ?? null }
  }
  const scrape = scrapes.find(({ data }) => data.includes(name))
  const seenAt = name === 'sale_history' ? scrapeData.sale_history_observed_at : undefined
  const observedAt = scrape?.at ?? (typeof seenAt === 'string' ? seenAt : null)
  return { field, value, observed_at: observedAt, origin: 'scrape', job_id: scrape?.job ?? null }
}
