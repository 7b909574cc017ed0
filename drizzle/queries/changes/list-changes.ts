import type { Bbox } from '../../../core/geometry/bbox'
import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { nameKeys } from '../parcels/name-keys'
import { changeJson } from './change-json'
import { cutChanges } from './cut-changes'
import { nextPlace, placesAround } from './places-around'

/** Null: all changes pass. */
export interface ChangeFilter {
  source: string | null
  /** Names of changed fields. `scrape_data` stands for all its members. */
  fields: readonly string[] | null
  /** Owner name: the parcel's owner before or after the change has the same normalized name. */
  owner: string | null
  /** The box of the parcel's boundary, or its point, before or after the change, overlaps one of these. */
  boxes: readonly Bbox[] | null
}

export interface ChangePage {
  count: number
  /** All changes up to this version were read. */
  reached: number
  /** The changes in order of their version, as the members of a JSON array. */
  rows: string
}

/** Maximum changes that a page with filters reads. */
const MAX_READ = 10_000
/** If an owner has more parcels, a page reads the changes of all parcels and filters them. */
const MAX_OWNED = 1_000

/**
 * The parcels that belong to an owner, or whose owner changed according to the log. Every change of the owner's parcels is a change of
 * one of these. Null: there are too many.
 */
const listOwned = async (db: Db, owner: string): Promise<string[] | null> => {
  const rows = await selectOwned(db, owner, MAX_OWNED + 1)
  return rows.length > MAX_OWNED ? null : [...new Set(rows.map(({ id }) => id))]
}

/**
 * At most `limit` ids, some repeatedly, in the order of the indexes of owners. Without an order, or with UNION, PostgreSQL would expect so many
 * if few names have nearly all parcels or changes that it would walk through all of them.
 */
export const selectOwned = (db: Db, owner: string, limit: number) => db<{ id: string }[]>`
  with typed as materialized (select ${nameKeys(db, owner)} as keys)
  (
    select id from parcels where owner_name_normalized = any((select keys from typed)::text[])
    order by owner_name_normalized limit ${limit}
  )
  union all
  (
    select parcel_id from parcel_changes where former_owner = any((select keys from typed)::text[])
    order by former_owner limit ${limit}
  )
  limit ${limit}`

/**
 * The first `limit` changes with a version above `after`, up to `upTo`, that pass the filter. A change does not store the values of
 * fields that stayed the same. Such a value is the former value in the next change of the field, or, if there is none, the current
 * value.
 */
export const listChanges = async (
  db: Db,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
  { source, fields, owner, boxes }: ChangeFilter,
): Promise<ChangePage> => {
  const owned = owner === null ? null : await listOwned(db, owner)
  const log =
    owned === null
      ? db`parcel_changes`
      : db`(
          select l.* from unnest(${owned}::uuid[]) as owned (id) cross join lateral (
            -- OFFSET 0 keeps this one lookup per parcel, in its index.
            select * from parcel_changes l where l.parcel_id = owned.id and l.version > ${after} and l.version <= ${upTo} offset 0
          ) l
        )`
  const ofSource = source === null ? db`` : db`and c.source = ${source}`
  const isFiltered = fields !== null || owner !== null || boxes !== null
  const mostRead = isFiltered ? MAX_READ : limit
  const names = [...(fields ?? [])]
  const hasField = db`and exists (
    select from changed_fields(c.changes) as key where key = any(${names}) or split_part(key, '.', 1) = any(${names})
  )`
  const nextOwner = db`left join lateral (
    select l.changes -> 'owner_name' as change from (
      -- OFFSET 0 keeps the index of parcels: the index of versions leads through the whole log.
      select * from parcel_changes l where l.parcel_id = c.parcel_id and l.version > c.version and l.changes ? 'owner_name' offset 0
    ) l order by l.version limit 1
  ) next_owner on true`
  const hasOwner = db`and (select ${nameKeys(db, owner ?? '')}) && array[
    normalize_name(c.changes -> 'owner_name' ->> 0),
    case when next_owner.change is null then p.owner_name_normalized else normalize_name(next_owner.change ->> 0) end
  ]`
  const boxTexts = (boxes ?? []).map(([west, south, east, north]) => `(${east},${north}),(${west},${south})`)
  const meets = db`and exists (select from ${placesAround(db)} where place.bbox && any(${boxTexts}::text[]::box[]))`
  const rows = await db<{ count: number; reached: number; rows: string | null }[]>`
    with read as (
      select version from ${log} c where version > ${after} and version <= ${upTo} ${ofSource}
      order by version limit ${mostRead}
    ), reached as materialized (
      select case when count(*) < ${mostRead} then ${upTo}::bigint else max(version) end as version from read
    ), page as (
      select c.* from ${log} c
      left join parcels p on p.id = c.parcel_id
      ${owner === null ? db`` : nextOwner}
      ${boxes === null ? db`` : nextPlace(db)}
      where c.version > ${after} and c.version <= (select version from reached) ${ofSource}
        ${fields === null ? db`` : hasField}
        ${owner === null ? db`` : hasOwner}
        ${boxes === null ? db`` : meets}
      order by c.version limit ${limit}
    )
    select count(*)::int as count, string_agg(${changeJson(db)}::text, ',' order by version) as rows,
      (case when count(*) = ${limit} or count(*) < max(found) then max(version) else (select version from reached) end)::float8 as reached
    from ${cutChanges(db, db`page`, db`version`)}`
  const page = onlyRow(rows)
  return { ...page, rows: page.rows ?? '' }
}
