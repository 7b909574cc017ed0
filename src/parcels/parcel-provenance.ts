import type { Db } from '../../core/postgres/database'
import { findParcelOrigins, type LoggedOrigin } from '../../drizzle/queries/parcels/parcel-origins'
import { CAUSES } from '../../drizzle/schema/values'

export const ORIGINS = [...CAUSES, 'unknown'] as const

export interface FieldOrigin {
  /** The field's name in the full record, such as `owner_name` or `scrape_data.sale_history`. */
  field: string
  /** Null for the boundary, which is in the record. */
  value: unknown
  /** When the service first saw this value (ISO 8601). Null: before the change log. */
  observed_at: string | null
  /** `unknown`: the value is older than the change log. */
  origin: (typeof ORIGINS)[number]
  job_id: string | null
  /** The load, crawl, job, replay or undo. */
  cause_id: string | null
  /** Where the value was read: a row of the loaded file (see FileOrigin), or a page of the portal. */
  line: number | null
  place: string | null
  page: string | null
  /** The stored responses of the portal, and their time. */
  page_hash: string | null
  page_at: string | null
  /** The adapter that read the page, and the version of the service. */
  adapter: string | null
  version: string | null
}

/** These members of scrape data change with every scrape, so the change log leaves them out. */
const OF_EVERY_SCRAPE = ['fetched_at', 'sale_history_observed_at', 'http_etag', 'http_last_modified']

/** The origin of each known field: its last change in the log, or else the creation of the parcel. Null for an unknown parcel. */
export const listProvenance = async (db: Db, key: { source: string; id: string }): Promise<FieldOrigin[] | null> => {
  const row = await findParcelOrigins(db, key)
  if (row === null) return null
  const { lastChanges, scrapedAt, scrapedBy } = row
  const originOf = (name: string): LoggedOrigin | undefined => lastChanges[name] ?? lastChanges['']
  const lastScrape: LoggedOrigin | undefined =
    scrapedAt === null
      ? undefined
      : { at: scrapedAt, cause: 'scrape', causeId: null, origin: scrapedBy === null ? null : { adapter: scrapedBy } }
  return [
    ...Object.entries(row.columns)
      .filter(([, value]) => isKnown(value))
      .map(([name, value]) => describe(name, value, originOf(name))),
    ...(row.hasGeom ? [describe('geom_geojson', null, originOf('geom'))] : []),
    ...Object.entries(row.scrapeData).map(([name, value]) => {
      const field = `scrape_data.${name}`
      const described = describe(field, value, OF_EVERY_SCRAPE.includes(name) ? lastScrape : originOf(field))
      // A scrape writes the findings of the review along with its own values.
      return name === 'review_findings' ? { ...described, origin: 'review' as const } : described
    }),
  ]
}

const isKnown = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0)

const describe = (field: string, value: unknown, logged: LoggedOrigin | undefined): FieldOrigin => {
  const { at = null, cause = null, causeId = null, origin = null } = logged ?? {}
  return {
    field,
    value,
    observed_at: cause === null ? null : at,
    origin: cause ?? 'unknown',
    job_id: cause === 'scrape' ? causeId : null,
    cause_id: causeId,
    line: origin?.line ?? null,
    place: origin?.place ?? null,
    page: origin?.page ?? null,
    page_hash: origin?.page_hash ?? null,
    page_at: origin?.page_at ?? null,
    adapter: origin?.adapter ?? null,
    version: origin?.version ?? null,
  }
}
