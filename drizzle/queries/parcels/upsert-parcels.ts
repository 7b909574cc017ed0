import { fieldKey, type ParcelField, type ParcelFieldName, parcelFields, SQL_TYPES } from '../../../core/parcel-fields'
import type { Db } from '../../../core/postgres/database'
import type { ParcelInput, UpsertCounts } from '../../records'
import { listColumns } from './field-columns'

const names = parcelFields.map(({ name }) => name)
const lists = parcelFields.filter(({ type }) => type === 'list').map(({ name }) => name)
const scalars = names.filter((name) => !lists.includes(name))

/** A field of the recordset under the name of its column. A list that was not brought is empty, or made of another field's text. */
const readIncoming = (field: ParcelField): string => {
  if (field.type !== 'list') return `"${field.key}" as ${field.name}`
  const other = `"${fieldKey(field.defaultFrom)}"`
  return `coalesce("${field.key}", case when ${other} is null then '{}' else array[${other}] end) as ${field.name}`
}

/** What is stored after `incoming` (a row, by its alias) was brought to parcel `p`. */
const merge = (name: ParcelFieldName, incoming: string): string =>
  lists.includes(name)
    ? `case when ${incoming}.${name} = '{}' then p.${name} else ${incoming}.${name} end`
    : `coalesce(${incoming}.${name}, p.${name})`

const RECORDSET = parcelFields.map(({ key, type }) => `"${key}" ${SQL_TYPES[type]}`).join(', ')
const INCOMING = parcelFields.map(readIncoming).join(', ')
const COLUMNS = listColumns(names)
const ASSIGNMENTS = names.map((name) => `${name} = ${merge(name, 'excluded')}`).join(', ')

/**
 * True where row `incoming` would change parcel `p`. Geometry is compared as text, and last: it is read from its own place.
 * `updated_at` does not count.
 */
const wouldChange = (incoming: string): string => `(
  (${scalars.map((name) => merge(name, incoming)).join(', ')}) is distinct from (${listColumns(scalars, 'p')})
  ${lists.map((name) => `or (${incoming}.${name} <> '{}' and ${incoming}.${name} <> p.${name})`).join(' ')}
  or (${incoming}.geom is not null and ${incoming}.geom::text is distinct from p.geom::text)
)`
const NEW_CHANGES = wouldChange('i')
const EXCLUDED_CHANGES = wouldChange('excluded')

/**
 * Writes a set of parcels of one source in one statement. New ids are inserted; a known parcel takes the fields that were
 * brought and keeps the others; a row that would not change is not touched, and neither is its `updated_at`. Rows that would not
 * change are left out before the insert, which would lock them, and a lock is a write. The condition stands there once more because
 * others may change a row meanwhile. Parcels are looked up one by one: left to choose, the planner reads the whole source where
 * statistics are older than its parcels.
 *
 * `rows` must not name a parcel twice. Rows come as `json`, so that geometry is stored with the very digits it came with.
 */
export const upsertParcels = async (db: Db, source: string, rows: readonly ParcelInput[]): Promise<UpsertCounts> => {
  const [counts] = await db<{ inserted: number; updated: number }[]>`
    with incoming as (
      select "sourceParcelId" as source_parcel_id, geom,
        case when bbox is null then null
          else box(point((bbox->>2)::float8, (bbox->>3)::float8), point((bbox->>0)::float8, (bbox->>1)::float8)) end as bbox,
        ${db.unsafe(INCOMING)}
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (
        "sourceParcelId" text, geom json, bbox json, ${db.unsafe(RECORDSET)}
      )
    ), written as (
      insert into parcels as p (source, source_parcel_id, geom, bbox, ${db.unsafe(COLUMNS)})
      select ${source}, i.*
      from incoming i
      left join lateral (
        select * from parcels p where p.source = ${source} and p.source_parcel_id = i.source_parcel_id limit 1
      ) p on true
      where p.id is null or ${db.unsafe(NEW_CHANGES)}
      order by i.source_parcel_id
      on conflict (source, source_parcel_id) do update set
        geom = coalesce(excluded.geom, p.geom),
        bbox = coalesce(excluded.bbox, p.bbox),
        ${db.unsafe(ASSIGNMENTS)},
        updated_at = now()
      where ${db.unsafe(EXCLUDED_CHANGES)}
      returning (xmax = 0) as inserted
    )
    select count(*) filter (where inserted)::int as inserted, count(*) filter (where not inserted)::int as updated from written
  `
  const { inserted, updated } = counts ?? { inserted: 0, updated: 0 }
  return { inserted, updated, unchanged: rows.length - inserted - updated }
}
