import type { Static, TSchema } from '@sinclair/typebox'
import { type Adapter, gradeIn } from '../../adapters/adapter'
import { checkConfig } from '../../adapters/check-config'
import { findAdapter as findInRegistry } from '../../adapters/registry'
import { ScrapeError } from '../../adapters/scrape-error'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isProved, recheckProofs } from '../../drizzle/queries/sources/source-proofs'
import { lockSourceSettings, type SourceChange, updateSource } from '../../drizzle/queries/sources/sources'
import { findLookUp } from '../../drizzle/seed/seed'

/**
 * Changes the given settings of a source. Returns the changed source as JSON text, or null when there is no such source. Checks
 * `vendor_config` when it changes and when the source becomes active: with an invalid one every scrape would fail. Only here is a source
 * switched on. A source whose vendor has grade C must be proved first.
 *
 * @throws ServiceError `bad_input` as `checkVendorConfig`; `not_proved` with the command that proves the source
 */
export const configureSource = (
  sql: Sql,
  source: string,
  change: SourceChange,
  { allowPrivateSources }: { allowPrivateSources: boolean },
): Promise<string | null> =>
  sql.begin(async (tx) => {
    const settings = await lockSourceSettings(tx, source)
    if (settings === null) return null
    const { vendor, state } = settings
    const isSwitchedOn = change.active === true && !settings.active
    if (change.vendor_config !== undefined || isSwitchedOn) {
      const vendorConfig = change.vendor_config ?? settings.vendorConfig
      const { adapter } = checkVendorConfig({ source, vendor, vendorConfig, allowPrivateSources })
      if (isSwitchedOn && gradeIn(adapter, state) === 'C' && !(await isProved(tx, source, vendor))) {
        throw new ServiceError('not_proved', describeUnproved(source, vendor))
      }
    }
    if (change.vendor_config !== undefined) await recheckProofs(tx, [source])
    return updateSource(tx, source, change)
  }) as Promise<string | null>

const describeUnproved = (source: string, vendor: string): string =>
  `not_proved: the pages of ${vendor} are known from one project only (grade C). Compare one parcel with the portal before you switch the source on: bun run adapter prove ${source} --parcel ID, or make a dry run on its page in the console`

/**
 * Finds the adapter of a vendor and validates a `vendor_config` with it.
 *
 * @throws ServiceError `bad_input` naming the field that the adapter does not accept, with the `look_up` of a seeded source
 */
export const checkVendorConfig = (
  {
    source,
    vendor,
    vendorConfig,
    allowPrivateSources,
  }: { source: string; vendor: string; vendorConfig: Record<string, unknown>; allowPrivateSources: boolean },
  findAdapter: (vendor: string) => Adapter | null = findInRegistry,
): { adapter: Adapter; config: Static<TSchema> } => {
  const adapter = findAdapter(vendor)
  if (adapter === null) {
    throw new ServiceError('bad_input', `vendor_config: there is no adapter for ${vendor} to check it`)
  }
  try {
    return { adapter, config: checkConfig(adapter.config, vendorConfig, { allowPrivate: allowPrivateSources }) }
  } catch (error) {
    // In a scrape this is a configuration error. Here it is bad input.
    if (!(error instanceof ScrapeError)) throw error
    const lookUp = findLookUp(source, vendor)
    throw new ServiceError('bad_input', lookUp === null ? error.message : `${error.message}\n${lookUp}`, {
      cause: error,
    })
  }
}
