import type { Sql } from '../../../core/postgres/database'

export interface NewSource {
  source: string
  state: string
  countyName: string
  baseUrl: string
}

/** Whether there is a source with this slug. */
export const hasSource = async (sql: Sql, source: string): Promise<boolean> =>
  (await sql`select 1 from sources where source = ${source}`).length === 1

/** Creates a source for records from a file: inactive, due in a year. Does not change an existing source. */
export const createSource = async (sql: Sql, { source, state, countyName, baseUrl }: NewSource): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx`
      insert into sources (source, state, county_name, vendor, base_url, active)
      values (${source}, ${state}, ${countyName}, 'arcgis-rest', ${baseUrl}, false) on conflict do nothing`
    await tx`
      insert into source_refresh_policies (source, cadence, next_due_at)
      values (${source}, 'annual', now() + interval '1 year') on conflict do nothing`
  })
}
