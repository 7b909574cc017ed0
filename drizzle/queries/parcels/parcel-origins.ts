import { parcelFields } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'
import type { Cause } from '../../schema/values'

/** Names and values for `json_build_object`. */
const VALUES_BY_NAME = parcelFields.map(({ name }) => `'${name}', ${name}`).join(', ')

/** The origin of a value according to the change log. */
export interface LoggedOrigin {
  /** ISO 8601. */
  at: string
  /** Null: the change is older than the log. */
  cause: Cause | null
  causeId: string | null
  origin: {
    line?: number
    place?: string
    page?: string
    page_hash?: string
    page_at?: string
    adapter?: string
    version?: string
  } | null
}

export interface ParcelOriginsRow {
  /** The parcel's fields by name, without the boundary. `hasGeom` tells whether there is one. */
  columns: Record<string, unknown>
  hasGeom: boolean
  scrapeData: Record<string, unknown>
  /** ISO 8601. */
  scrapedAt: string | null
  scrapedBy: string | null
  /** The last change of each field that changed, and the creation under the empty name. */
  lastChanges: Record<string, LoggedOrigin>
}

/** A parcel's fields and the last change of each; null when there is no such parcel. */
export const findParcelOrigins = async (
  db: Db,
  { source, id }: { source: string; id: string },
): Promise<ParcelOriginsRow | null> => {
  const [row] = await db<ParcelOriginsRow[]>`
    select json_build_object(${db.unsafe(VALUES_BY_NAME)}) as columns, geom is not null as "hasGeom", scrape_data as "scrapeData",
      iso_utc(scraped_at) as "scrapedAt", scraped_by as "scrapedBy",
      coalesce((
        select jsonb_object_agg(coalesce(key, ''), change) from (
          select distinct on (key) key,
            jsonb_build_object('at', iso_utc(at), 'cause', cause, 'causeId', c.cause_id, 'origin', c.origin) as change
          from parcel_changes c left join lateral changed_fields(c.changes) as key on true
          where c.parcel_id = p.id order by key, version desc
        ) last_change
      ), '{}') as "lastChanges"
    from parcels p where source = ${source} and source_parcel_id = ${id}`
  return row ?? null
}
