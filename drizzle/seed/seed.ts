/// <reference path="./text-modules.d.ts" />
import type { Sql } from '../../core/postgres/database'
import { recheckProofs } from '../queries/sources/source-proofs'
import countyPortals from './county-portals.tsv' with { type: 'text' }

interface Vendor {
  vendor: string
  needsBrowser: boolean
}

/**
 * The rows that every database starts with: the vendors with low concurrency, and the counties whose portals are known. The counties
 * are inactive, so that nothing is scraped before an operator activates them. An existing county gets the URL and the
 * `vendor_config` of this release, unless an operator has changed them (`seed_hash`). Returns the slugs of counties whose values
 * changed.
 */
export const seed = async (sql: Sql, vendors: readonly Vendor[]): Promise<string[]> => {
  const concurrency = vendors.map(({ vendor, needsBrowser }) => ({
    vendor,
    min_concurrency: 1,
    max_concurrency: needsBrowser ? 4 : 8,
    target_concurrency: needsBrowser ? 1 : 2,
    slow_threshold_ms: needsBrowser ? 30_000 : 8_000,
    fast_threshold_ms: needsBrowser ? 10_000 : 2_000,
  }))
  const counties = listCountyPortals()
  return sql.begin(async (tx) => {
    await tx`insert into vendor_concurrency ${tx(concurrency)} on conflict do nothing`
    const offered = tx`(
      select *, md5(base_url || vendor_config::text) as seed_hash from jsonb_to_recordset(${JSON.stringify(counties)}::text::jsonb)
        as c (source text, state text, county_name text, vendor text, base_url text, vendor_config jsonb)
    )`
    const renewed = await tx<{ source: string }[]>`
      update sources s set base_url = o.base_url, vendor_config = o.vendor_config, seed_hash = o.seed_hash, updated_at = now()
      from ${offered} o
      where s.source = o.source and s.vendor = o.vendor and s.seed_hash = md5(s.base_url || s.vendor_config::text)
        and s.seed_hash <> o.seed_hash
      returning s.source`
    await recheckProofs(
      tx,
      renewed.map(({ source }) => source),
    )
    await tx`
      insert into sources (source, state, county_name, vendor, base_url, vendor_config, seed_hash)
      select source, state, county_name, vendor, base_url, vendor_config, seed_hash from ${offered} o
      on conflict do nothing`
    await tx`
      insert into source_refresh_policies (source, cadence, next_due_at)
      select source, 'annual', now() + interval '1 year' from sources on conflict do nothing`
    return renewed.map(({ source }) => source)
  }) as Promise<string[]>
}

/**
 * The rows of `county-portals.tsv`: state, county, vendor, portal URL; if the vendor's defaults do not fit, `vendor_config` as JSON;
 * and what an operator has to look up before the source is activated, with where to find it.
 */
export const listCountyPortals = () =>
  countyPortals
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [state = '', county = '', vendor = '', url = '', config = '', lookUp = ''] = line.split('\t')
      return {
        source: sourceSlug(state, county, vendor),
        state,
        county_name: county,
        vendor,
        base_url: url,
        vendor_config: JSON.parse(config || '{}') as Record<string, unknown>,
        look_up: lookUp || null,
      }
    })

const sourceSlug = (state: string, county: string, vendor: string): string =>
  `${state}-${county}-${vendor}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const portals = new Map(listCountyPortals().map((portal) => [portal.source, portal]))

/**
 * What an operator has to look up before a seeded source is activated, and where. Null: nothing, not a seeded source, or the source has
 * another vendor now.
 */
export const findLookUp = (source: string, vendor: string): string | null => {
  const portal = portals.get(source)
  return portal?.vendor === vendor ? portal.look_up : null
}
