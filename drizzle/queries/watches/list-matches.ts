import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { WatchKind } from '../../schema/values'
import { nextPlace, placesAround } from '../changes/places-around'
import { nameKeys } from '../parcels/name-keys'
import { hasValidKey } from './is-sending'

/** Changes in the log after `after`, up to `upTo`. */
export interface VersionRange {
  after: number
  upTo: number
}

/** A watch that a change matches. */
export interface Match {
  version: number
  watchId: string
}

export const readWatchProgress = async (db: Db): Promise<number> => {
  const rows = await db<{ version: number }[]>`select version::float8 as version from watch_progress`
  return onlyRow(rows).version
}

/** The kinds of all active watches. */
export const listWatchedKinds = async (db: Db): Promise<Set<WatchKind>> => {
  const rows = await db<{ kind: WatchKind }[]>`
    select kind from unnest(array['parcel', 'owner', 'polygon', 'source']) as kinds (kind)
    where exists (select from watches w where w.active and w.kind = kinds.kind)`
  return new Set(rows.map(({ kind }) => kind))
}

/** The version of the last of the next `limit` changes. Null: there are fewer changes. */
export const findPageEnd = async (db: Db, { after, upTo }: VersionRange, limit: number): Promise<number | null> => {
  const [row] = await db<{ version: number }[]>`
    select version::float8 as version from parcel_changes where version > ${after} and version <= ${upTo}
    order by version offset ${limit - 1} limit 1`
  return row?.version ?? null
}

/** Whether change `c` meets the conditions of watch `w` other than its target. */
const wants = (db: Db) => db`
  w.active and w.after_version < c.version and (w.fields is null or c.action <> 'changed' or exists (
    select from changed_fields(c.changes) as key where key = any(w.fields) or split_part(key, '.', 1) = any(w.fields)
  ))
  and ${hasValidKey(db)}`

const changesOf = (db: Db, { after, upTo }: VersionRange) =>
  db`select * from parcel_changes where version > ${after} and version <= ${upTo}`

/** Watches of parcels and sources that match, at most `limit`. */
export const listNamedMatches = (db: Db, range: VersionRange, limit: number): Promise<Match[]> => db<Match[]>`
  select c.version::float8 as version, w.id as "watchId"
  from (${changesOf(db, range)}) c join watches w
    on w.source = c.source and (w.kind = 'source' or w.kind = 'parcel' and w.source_parcel_id = c.source_parcel_id) and ${wants(db)}
  limit ${limit}`

/**
 * The first change of `c`'s parcel after `c` that changes the owner. Its former value is the owner after `c`. If there is none, the
 * parcel still has this owner. `at` skips older partitions; clocks may be set back a little.
 */
const nextOwner = (db: Db) => db`
  left join lateral (
    select l.changes -> 'owner_name' -> 0 as former from parcel_changes l
    where l.parcel_id = c.parcel_id and l.version > c.version and l.at >= c.at - interval '1 hour' and l.changes ? 'owner_name'
    order by l.version limit 1
  ) next on true
  left join parcels p on p.id = c.parcel_id and next.former is null`

/** Watches of owners that match, at most `limit`: those of the owner before the change, and of the owner after it. */
export const listOwnerMatches = (db: Db, range: VersionRange, limit: number): Promise<Match[]> => db<Match[]>`
  select distinct c.version::float8 as version, w.id as "watchId"
  from (${changesOf(db, range)}) c ${nextOwner(db)}
    cross join lateral (values
      (c.changes #>> '{owner_name,0}'),
      (case when next.former is null then p.owner_name else next.former #>> '{}' end)
    ) owners (name)
    join watches w on w.kind = 'owner' and w.owner_name_normalized = any(${nameKeys(db, db`owners.name`)}) and ${wants(db)}
  limit ${limit}`

/** A watched polygon whose box overlaps that of a parcel, before or after a change. */
export interface BoxMatch extends Match {
  /** The parcel's boundary, or its point if it has none: GeoJSON text. */
  place: string
}

/** Watched polygons that a change may match, at most `limit`, with the boundaries and points that decide it. */
export const listBoxMatches = (db: Db, range: VersionRange, limit: number): Promise<BoxMatch[]> => db<BoxMatch[]>`
  select c.version::float8 as version, w.id as "watchId", place_geojson(place.geom, place.lon, place.lat)::text as place
  from (${changesOf(db, range)}) c ${nextPlace(db)}
    left join parcels p on p.id = c.parcel_id
    cross join lateral ${placesAround(db)}
    join watches w on w.kind = 'polygon' and w.bbox && place.bbox and ${wants(db)}
  limit ${limit}`

/** Watched polygons by watch, as GeoJSON text. */
export const listPolygons = async (db: Db, watchIds: readonly string[]): Promise<Map<string, string>> => {
  const rows = await db<{ id: string; polygon: string }[]>`
    select id, polygon::text as polygon from watches where id = any(${[...watchIds]}) and polygon is not null`
  return new Map(rows.map(({ id, polygon }) => [id, polygon]))
}
