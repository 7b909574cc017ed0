import type { Db, Sql } from '../../../core/postgres/database'
import { FILE_VENDOR } from '../../../core/sources/file-vendor'

export interface NewSource {
  source: string
  state: string
  countyName: string
  /** Default: `file`. */
  vendor?: string
  /** Empty: the files of the source are loaded by hand. */
  baseUrl: string
  vendorConfig?: Record<string, unknown>
}

/** Whether there is a source with this slug, and whether it is retired. */
export const findSourceState = async (db: Db, source: string): Promise<'listed' | 'retired' | null> => {
  const [row] = await db<{ state: 'listed' | 'retired' }[]>`
    select case when retired_at is null then 'listed' else 'retired' end as state from sources where source = ${source}`
  return row?.state ?? null
}

/** Creates a source: inactive, due in a year. Returns false, and changes nothing, if the slug is taken. */
export const createSource = async (sql: Sql, source: NewSource): Promise<boolean> =>
  (await sql.begin((tx) => insertSource(tx, source))) as boolean

/** As `createSource`, in a transaction. */
export const insertSource = async (
  tx: Db,
  { source, state, countyName, vendor = FILE_VENDOR, baseUrl, vendorConfig = {} }: NewSource,
): Promise<boolean> => {
  const { count } = await tx`
    insert into sources (source, state, county_name, vendor, base_url, vendor_config, active)
    values (${source}, ${state}, ${countyName}, ${vendor}, ${baseUrl}, ${JSON.stringify(vendorConfig)}::text::jsonb, false)
    on conflict do nothing`
  await tx`
    insert into source_refresh_policies (source, cadence, next_due_at)
    values (${source}, 'annual', now() + interval '1 year') on conflict do nothing`
  return count === 1
}
