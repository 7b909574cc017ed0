import type { Db } from '../../../core/postgres/database'
import type { EntityInput, UpsertCounts } from '../../records'

/**
 * Writes registry entities of one jurisdiction in one statement, like `upsertParcels`. Missing fields keep their stored value, unless
 * `cleared` has their column. Rows that would not change are not written. `rows` must not contain an entity twice.
 */
export const upsertEntities = async (
  db: Db,
  jurisdiction: string,
  rows: readonly EntityInput[],
  cleared: readonly string[] = [],
): Promise<UpsertCounts> => {
  const merged = (column: 'entity_type' | 'status' | 'registered_agent_name') =>
    cleared.includes(column) ? db`excluded.${db(column)}` : db`coalesce(excluded.${db(column)}, e.${db(column)})`
  const [counts] = await db<{ inserted: number; updated: number }[]>`
    with written as (
      insert into entities as e (jurisdiction, registry_number, name, entity_type, status, registered_agent_name)
      select ${jurisdiction}, "registryNumber", name, "entityType", status, "registeredAgentName"
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (
        "registryNumber" text, name text, "entityType" text, status text, "registeredAgentName" text
      )
      order by "registryNumber"
      on conflict (jurisdiction, registry_number) do update set
        name = excluded.name,
        entity_type = ${merged('entity_type')},
        status = ${merged('status')},
        registered_agent_name = ${merged('registered_agent_name')},
        updated_at = now()
      where (
          excluded.name, ${merged('entity_type')}, ${merged('status')}, ${merged('registered_agent_name')}
        ) is distinct from (e.name, e.entity_type, e.status, e.registered_agent_name)
      returning (xmax = 0) as inserted
    )
    select count(*) filter (where inserted)::int as inserted, count(*) filter (where not inserted)::int as updated from written
  `
  const { inserted, updated } = counts ?? { inserted: 0, updated: 0 }
  return { inserted, updated, unchanged: rows.length - inserted - updated }
}
