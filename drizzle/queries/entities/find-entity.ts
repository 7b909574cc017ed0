import type { Db } from '../../../core/postgres/database'

/** An entity of a business registry as JSON text; null when there is none. */
export const findEntityJson = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(entity)::text as body from (
      select id, jurisdiction, registry_number, name, entity_type, status, registered_agent_name, linked_parcel_count,
        iso_utc(updated_at) as updated_at
      from entities where id = ${id}
    ) entity`
  return row?.body ?? null
}
