import { fieldKey, type ParcelField, type ParcelFieldName, parcelFields, SQL_TYPES } from '../../../core/parcel-fields'
import type { Db } from '../../../core/postgres/database'
import type { ParcelInput, UpsertCounts } from '../../records'
import { CAUSE_SETTING, type StatedCause } from '../changes/set-cause'
import { listColumns } from './field-columns'

const names = parcelFields.map(({ name }) => name)
const lists = parcelFields.filter(({ type }) => type === 'list').map(({ name }) => name)
const scalars = names.filter((name) => !lists.includes(name))

/** A field of the recordset under its column name. A list without a value is empty, or it has the text of another field. */
const readIncoming = (field: ParcelField): string => {
  if (field.type !== 'list') return `"${field.key}" as ${field.name}`
  const other = `"${fieldKey(field.defaultFrom)}"`
  return `coalesce("${field.key}", case when ${other} is null then '{}' else array[${other}] end) as ${field.name}`
}

/** The value to store: that of `incoming` (the alias of a row), or that of parcel `p` if `incoming` has none. */
const merge = (name: ParcelFieldName, incoming: string): string =>
  lists.includes(name)
    ? `case when ${incoming}.${name} = '{}' then p.${name} else ${incoming}.${name} end`
    : `coalesce(${incoming}.${name}, p.${name})`

const RECORDSET = parcelFields.map(({ key, type }) => `"${key}" ${SQL_TYPES[type]}`).join(', ')
const INCOMING = parcelFields.map(readIncoming).join(', ')
const COLUMNS = listColumns(names)
const ASSIGNMENTS = names.map((name) => `${name} = ${merge(name, 'excluded')}`).join(', ')

/**
 * True if row `incoming` would change parcel `p`. Geometry is compared as text. It is compared last, because large values are stored
 * separately and cost an extra read. `updated_at` does not count.
 */
const wouldChange = (incoming: string): string => `(
  (${scalars.map((name) => merge(name, incoming)).join(', ')}) is distinct from (${listColumns(scalars, 'p')})
  ${lists.map((name) => `or (${incoming}.${name} <> '{}' and ${incoming}.${name} <> p.${name})`).join(' ')}
  or (${incoming}.geom is not null and ${incoming}.geom::text is distinct from p.geom::text)
)`
const NEW_CHANGES = wouldChange('i')
const EXCLUDED_CHANGES = wouldChange('excluded')

/** For the change log: what leads to the write, and the load, crawl or job that it is part of. */
export interface Reason {
  cause: StatedCause
  id: string | null
}

/**
 * Writes parcels of one source in one statement. New parcels are inserted. A stored parcel gets the given fields and keeps the others.
 * A row that would not change is not written, and its `updated_at` stays.
 *
 * Unchanged rows are filtered out before the insert, because the insert would lock them, and a lock is a write. The update repeats the
 * condition, because a concurrent transaction may have changed the row. Parcels are looked up one by one, because with outdated
 * statistics the planner would read the whole source.
 *
 * `rows` must not contain a parcel twice. They are passed as `json`, so that geometry is stored with its original digits. Without a
 * `reason`, the cause that the transaction stated holds.
 */
export const upsertParcels = async (
  db: Db,
  source: string,
  rows: readonly ParcelInput[],
  reason?: Reason,
): Promise<UpsertCounts> => {
  const [counts] = await db<{ inserted: number; updated: number }[]>`
    with stated as materialized (
      select set_config(${CAUSE_SETTING}, coalesce(${reason?.cause ?? null}::text, current_setting(${CAUSE_SETTING}, true)), true)
    ), incoming as (
      select "sourceParcelId" as source_parcel_id, coalesce("causeId", ${reason?.id ?? null}::uuid) as cause_id, origin, geom,
        case when bbox is null then null
          else box(point((bbox->>2)::float8, (bbox->>3)::float8), point((bbox->>0)::float8, (bbox->>1)::float8)) end as bbox,
        ${db.unsafe(INCOMING)}
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (
        "sourceParcelId" text, "causeId" uuid, origin jsonb, geom json, bbox json, ${db.unsafe(RECORDSET)}
      )
    ), written as (
      insert into parcels as p (source, source_parcel_id, cause_id, origin, geom, bbox, ${db.unsafe(COLUMNS)})
      select ${source}, i.*
      from stated cross join incoming i
      left join lateral (
        select * from parcels p where p.source = ${source} and p.source_parcel_id = i.source_parcel_id limit 1
      ) p on true
      where p.id is null or ${db.unsafe(NEW_CHANGES)}
      order by i.source_parcel_id
      on conflict (source, source_parcel_id) do update set
        cause_id = excluded.cause_id,
        origin = excluded.origin,
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
