import { CHANNELS } from '../../../core/channels'
import type { Db, Transaction } from '../../../core/postgres/database'
import { FILE_VENDOR } from '../../../core/sources/file-vendor'
import type { LoadLimits } from '../../../core/sources/load-limits'
import type { Cadence } from '../../schema/values'

/** The fields in the list of sources. `s` is the source, `p` its policy. */
const sourceFields = (db: Db) => db`
  s.source, s.state, s.county_name, s.vendor, s.base_url, s.active, p.cadence, iso_utc(p.next_due_at) as next_due_at,
  iso_utc(s.last_full_scrape_at) as last_full_scrape_at, s.last_known_data_as_of, s.license, s.attribution,
  (select iso_utc(proved_at) from source_proofs where source = s.source) as proved_at, iso_utc(s.retired_at) as retired_at`

export interface SourceRow {
  source: string
  state: string
  vendor: string
  body: string
}

/** Which sources are listed; null: any value. */
export interface SourceFilter {
  state: string | null
  vendor: string | null
  active: boolean | null
  /** Only retired sources, or only the others. */
  retired: boolean
}

/** Sources by slug, as JSON texts; all when `limit` is null. There are some thousand at most, so filters need no index. */
export const listSources = (
  db: Db,
  { state, vendor, active, retired, after, limit }: SourceFilter & { after: string | null; limit: number | null },
): Promise<SourceRow[]> =>
  db<SourceRow[]>`
    select source, state, vendor, row_to_json(row)::text as body from (
      select ${sourceFields(db)} from sources s join source_refresh_policies p using (source)
      where s.retired_at is ${retired ? db`not null` : db`null`} ${state === null ? db`` : db`and s.state = ${state}`}
        ${vendor === null ? db`` : db`and s.vendor = ${vendor}`}
        ${active === null ? db`` : db`and s.active = ${active}`}
        ${after === null ? db`` : db`and s.source > ${after}`}
      order by s.source limit ${limit}
    ) row`

/** Settings that only admins see. A limit is null if it is the default. */
const adminFields = (db: Db) => db`
  s.vendor_config, json_build_object('retired', s.load_limits -> 'retired', 'emptied', s.load_limits -> 'emptied',
    'owner', s.load_limits -> 'owner') as load_limits`

/** A source with its whole policy, and with the settings that only admins see if `withSettings`, as JSON text; null when there is none. */
export const findSource = async (
  db: Db,
  source: string,
  { withSettings }: { withSettings: boolean },
): Promise<SourceRow | null> => {
  const [row] = await db<SourceRow[]>`
    select source, state, vendor, row_to_json(row)::text as body from (
      select ${sourceFields(db)}, p.agricultural_only ${withSettings ? db`, ${adminFields(db)}` : db``}
      from sources s join source_refresh_policies p using (source) where s.source = ${source}
    ) row`
  return row ?? null
}

/** Null: there is no such source. */
export const findSourceVendor = async (db: Db, source: string): Promise<string | null> => {
  const [row] = await db<{ vendor: string }[]>`select vendor from sources where source = ${source}`
  return row?.vendor ?? null
}

/** The state and county of a source. Throws when there is no such source. */
export const getCounty = async (db: Db, source: string): Promise<{ state: string; countyName: string }> => {
  const [row] = await db<{ state: string; countyName: string }[]>`
    select state, county_name as "countyName" from sources where source = ${source}`
  if (row === undefined) throw new Error(`no source ${source}`)
  return row
}

/** The portal of a source; null when there is no such source. */
export const findPortal = async (
  db: Db,
  source: string,
): Promise<{ vendor: string; baseUrl: string; isRetired: boolean } | null> => {
  const [row] = await db<{ vendor: string; baseUrl: string; isRetired: boolean }[]>`
    select vendor, base_url as "baseUrl", retired_at is not null as "isRetired" from sources where source = ${source}`
  return row ?? null
}

/** Why the parcels of a source cannot be scraped. */
export type Unscrapable = 'unknown' | 'retired' | 'no portal'

/** The first of these sources whose parcels cannot be scraped: unknown ones first, then by slug. Null: there is none. */
export const findUnscrapable = async (
  db: Db,
  sources: readonly string[],
): Promise<{ source: string; reason: Unscrapable } | null> => {
  const [row] = await db<{ source: string; reason: Unscrapable }[]>`
    select source, case when s.vendor is null then 'unknown' when s.retired_at is not null then 'retired' else 'no portal' end as reason
    from unnest(${[...sources]}::text[]) as wanted (source) left join sources s using (source)
    where s.vendor is null or s.retired_at is not null or s.vendor = ${FILE_VENDOR}
    order by s.vendor is not null, source limit 1`
  return row ?? null
}

/** How a source is scraped. */
export interface SourceSettings {
  state: string
  vendor: string
  baseUrl: string
  active: boolean
  vendorConfig: Record<string, unknown>
  isRetired: boolean
  /** The load that retired its parcels. */
  retiredBy: string | null
}

/** Locked until the transaction ends. Null: there is no such source. */
export const lockSourceSettings = async (tx: Transaction, source: string): Promise<SourceSettings | null> => {
  const [row] = await tx<SourceSettings[]>`
    select state, vendor, base_url as "baseUrl", active, vendor_config as "vendorConfig", retired_at is not null as "isRetired",
      retired_by as "retiredBy"
    from sources where source = ${source} for update`
  return row ?? null
}

/** Null is the default of a limit. */
export type LoadLimitsChange = { [Name in keyof LoadLimits]?: LoadLimits[Name] | null }

export interface SourceChange {
  vendor?: string | undefined
  base_url?: string | undefined
  state?: string | undefined
  county_name?: string | undefined
  active?: boolean | undefined
  vendor_config?: Record<string, unknown> | undefined
  load_limits?: LoadLimitsChange | undefined
  /** Null: unknown. */
  license?: string | null | undefined
  attribution?: string | null | undefined
}

/** Changes the given fields. Returns the row with the settings that only admins see as JSON text; null when there is none. */
export const updateSource = async (db: Db, source: string, change: SourceChange): Promise<string | null> => {
  const limits = JSON.stringify(change.load_limits ?? {})
  const config = change.vendor_config === undefined ? null : JSON.stringify(change.vendor_config)
  const [row] = await db<{ body: string }[]>`
    with changed as (
      update sources set active = coalesce(${change.active ?? null}, active),
        vendor = coalesce(${change.vendor ?? null}, vendor), base_url = coalesce(${change.base_url ?? null}, base_url),
        state = coalesce(${change.state ?? null}, state), county_name = coalesce(${change.county_name ?? null}, county_name),
        vendor_config = coalesce(${config}::text::jsonb, vendor_config),
        license = case when ${change.license === undefined} then license else ${change.license ?? null} end,
        attribution = case when ${change.attribution === undefined} then attribution else ${change.attribution ?? null} end,
        load_limits = jsonb_strip_nulls(load_limits || ${limits}::text::jsonb), updated_at = now()
      where source = ${source} returning *
    )
    select row_to_json(row)::text as body from (
      select ${sourceFields(db)}, ${adminFields(db)} from changed s join source_refresh_policies p using (source)
    ) row`
  return row?.body ?? null
}

/** Marks a source as retired, so that it is no longer scraped. `retiredBy` is the load that retires its parcels; null: it has none. */
export const markRetired = async (tx: Transaction, source: string, retiredBy: string | null): Promise<void> => {
  await tx`
    update sources set retired_at = date_trunc('milliseconds', now()), retired_by = ${retiredBy}, active = false, updated_at = now()
    where source = ${source}`
  await tx`
    update source_refresh_policies set run_started_at = null, run_cursor = null, run_ends_at = null, updated_at = now()
    where source = ${source}`
  await tx`select pg_notify(${CHANNELS.coverageChanged}, '')`
}

/** Marks a source as no longer retired. It stays inactive. */
export const markListed = async (tx: Transaction, source: string): Promise<void> => {
  await tx`update sources set retired_at = null, retired_by = null, updated_at = now() where source = ${source}`
  await tx`select pg_notify(${CHANNELS.coverageChanged}, '')`
}

/** Changes the given fields. Returns the policy as JSON text; null when there is none. */
export const updateRefreshPolicy = async (
  db: Db,
  source: string,
  change: { cadence?: Cadence | undefined; next_due_at?: string | undefined; agricultural_only?: boolean | undefined },
): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with changed as (
      update source_refresh_policies set cadence = coalesce(${change.cadence ?? null}::cadence, cadence),
        next_due_at = coalesce(${change.next_due_at ?? null}::timestamptz, next_due_at),
        agricultural_only = coalesce(${change.agricultural_only ?? null}, agricultural_only), updated_at = now()
      where source = ${source} returning *
    )
    select row_to_json(row)::text as body from (
      select source, cadence, iso_utc(next_due_at) as next_due_at, agricultural_only from changed
    ) row`
  return row?.body ?? null
}
