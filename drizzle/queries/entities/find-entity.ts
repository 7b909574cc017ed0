import type { Db } from '../../../core/postgres/database'
import { nameKeys } from '../parcels/name-keys'

const columns = (db: Db) => db`id, jurisdiction, registry_number, name, entity_type, status, registered_agent_name,
        linked_parcel_count, iso_utc(updated_at) as updated_at`

/** An entity of a business registry as JSON text; null when there is none. */
export const findEntityJson = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(entity)::text as body from (select ${columns(db)} from entities where id = ${id}) entity`
  return row?.body ?? null
}

/** The entities with this name in any usual spelling, as JSON texts, in the order of their registries. */
export const listEntitiesNamed = async (db: Db, name: string, limit: number): Promise<string[]> => {
  const rows = await db<{ body: string }[]>`
    select row_to_json(entity)::text as body from (
      select ${columns(db)} from entities where name_normalized = any(${nameKeys(db, name)})
      order by jurisdiction, registry_number limit ${limit}
    ) entity`
  return rows.map(({ body }) => body)
}
