import type { Bbox } from '../../../core/geometry/bbox'
import { RECORD_FIELDS } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'
import type { LinkKind } from '../../schema/values'
import { listColumns } from './field-columns'

const RECORD_COLUMNS = listColumns(RECORD_FIELDS)

/** A predecessor or successor of a parcel. */
export interface LinkedParcel {
  isSuccessor: boolean
  kind: LinkKind
  source: string
  source_parcel_id: string
}

export interface ParcelKey {
  source: string
  id: string
}

interface LinkedJson {
  body: string
  /** Null: there are none. */
  linked: LinkedParcel[] | null
}

/** The columns of the API's full record. */
export const recordColumns = (db: Db) => db`
  id, source, source_parcel_id, geom as geom_geojson, ${db.unsafe(RECORD_COLUMNS)},
  scrape_data, iso_utc(scraped_at) as scraped_at, scraped_by, scrape_data_as_of,
  scrape_data_as_of_source, iso_utc(ingested_at) as ingested_at, iso_utc(updated_at) as updated_at,
  iso_utc(retired_at) as retired_at`

/** The accounts of the API's record of one parcel. Lists of parcels do not have them. */
export const accountsColumn = (db: Db) => db`coalesce(accounts, '[]') as accounts`

/**
 * One parcel as the JSON text of the API's full record; null when there is none. The database writes the JSON, so nothing is parsed
 * here, except links to other parcels.
 */
export const findParcelJson = async (db: Db, { source, id }: ParcelKey): Promise<string | null> => {
  const [row] = await db<LinkedJson[]>`
    select row_to_json(parcel)::text as body, ${linkedParcels(db)} as linked
    from (
      select ${recordColumns(db)}, ${accountsColumn(db)}
      from parcels where source = ${source} and source_parcel_id = ${id}
    ) parcel`
  return row === undefined ? null : addLinks(row.body, row.linked ?? [])
}

/**
 * `findParcelJson` of many parcels, in the order of `keys`. The `limit` makes PostgreSQL look up each parcel by itself. Without it, a
 * small table is read as a whole. The keys are JSON, because a statement with an array would be planned for each length of the array.
 */
export const findParcelJsons = async (db: Db, keys: readonly ParcelKey[]): Promise<(string | null)[]> => {
  const wanted = JSON.stringify(keys.map(({ source, id }, index) => ({ index, source, id })))
  const rows = await db<(LinkedJson & { index: number })[]>`
    select wanted.index, row_to_json(parcel)::text as body, ${linkedParcels(db)} as linked
    from json_to_recordset(${wanted}::text::json) as wanted (index int, source text, id text)
    cross join lateral (
      select ${recordColumns(db)}, ${accountsColumn(db)}
      from parcels where source = wanted.source and source_parcel_id = wanted.id limit 1
    ) parcel`
  const bodies = keys.map((): string | null => null)
  for (const { index, body, linked } of rows) bodies[index] = addLinks(body, linked ?? [])
  return bodies
}

/** SQL that begins with `and`: at the time `asOf` (ISO 8601), the predecessor has been retired for the last time, and its successor is known. */
const wasLinked = (db: Db, asOf: string) => db`
  and not coalesce(parcel_values_to_put_back(l.predecessor, ${asOf}) ? 'retired_at', true)
  and parcel_values_to_put_back(l.successor, ${asOf}) is not null`

/** The parcels linked to `parcel`, now or at the time `asOf`. Null: there are none. A listed parcel has no successors. */
export const linkedParcels = (db: Db, asOf: string | null = null) => db`(
  select json_agg(json_build_object('isSuccessor', l.predecessor = parcel.id, 'kind', l.kind, 'source', p.source,
    'source_parcel_id', p.source_parcel_id) order by p.source_parcel_id)
  from parcel_links l join parcels p on p.id = case when l.predecessor = parcel.id then l.successor else l.predecessor end
  where (l.predecessor = parcel.id or l.successor = parcel.id)
    and case when l.predecessor = parcel.id then parcel.retired_at is not null else p.retired_at is not null end
    ${asOf === null ? db`` : wasLinked(db, asOf)}
)`

/** The JSON text of a record with its linked parcels. */
export const addLinks = (body: string, linked: readonly LinkedParcel[]): string => {
  const predecessors = linked.filter(({ isSuccessor }) => !isSuccessor).map(withPath)
  const successors = linked.filter(({ isSuccessor }) => isSuccessor).map(withPath)
  return `${body.slice(0, -1)},${JSON.stringify({ predecessors, successors }).slice(1)}`
}

const withPath = ({ kind, source, source_parcel_id }: LinkedParcel) => ({
  kind,
  source,
  source_parcel_id,
  path: `/v1/parcels/${source}/${encodeURIComponent(source_parcel_id)}`,
})

export interface ExampleParcel {
  source: string
  source_parcel_id: string
  owner_name: string
  bbox: Bbox
}

/** Picks a stable example parcel that has an owner and a boundary; null when there is none. */
export const findExampleParcel = async (db: Db): Promise<ExampleParcel | null> => {
  const [row] = await db<ExampleParcel[]>`
    select source, source_parcel_id, owner_name,
      array[(bbox[1])[0], (bbox[1])[1], (bbox[0])[0], (bbox[0])[1]] as bbox
    from live_parcels where length(owner_name) between 12 and 30 and geom is not null order by id limit 1`
  return row ?? null
}

/** The id of a parcel's record; null when there is no such parcel. */
export const findParcelId = async (db: Db, { source, id }: { source: string; id: string }): Promise<string | null> => {
  const [row] = await db<{ id: string }[]>`select id from parcels where source = ${source} and source_parcel_id = ${id}`
  return row?.id ?? null
}
