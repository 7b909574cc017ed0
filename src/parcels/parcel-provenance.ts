import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../core/postgres/database'
import { findParcelOrigins, type ParcelOriginsRow } from '../../drizzle/queries/parcels/parcel-origins'
import type { OriginScrape, ScrapeOrigins } from '../scrape/store/scrape-origins'

export const ORIGINS = ['ingest', 'scrape', 'review', 'unknown'] as const

export interface FieldOrigin {
  /** As the full record names it; inside of `scrape_data` with a dot. */
  field: string
  /** Null for the boundary, which is in the record. */
  value: unknown
  /** When its source was last seen to say so (ISO 8601); null: not stored. */
  observed_at: string | null
  /** `unknown`: an ingest, or a scrape of before origins were stored. */
  origin: (typeof ORIGINS)[number]
  job_id: string | null
}

/** Where each field of a parcel that is known came from, and when, as far as that is stored; null when there is no such parcel. */
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
    // Of a boundary only the row's last change tells whether it is still the one that was brought.
    const isStill = isGeom ? updatedAt <= (scrapedAt ?? '') : isDeepStrictEqual(scrape.columns[name], value)
    if (isStill) return { ...field, observed_at: scrape.at, origin: 'scrape', job_id: scrape.job }
    return { ...field, observed_at: null, origin: isGeom ? 'unknown' : 'ingest', job_id: null }
  }
  if (!isComplete) return { ...field, observed_at: null, origin: 'unknown', job_id: null }
  // A row that never changed is as it was first loaded; which field of one that did is not stored.
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
