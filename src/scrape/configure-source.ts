import { checkConfig } from '../../adapters/check-config'
import { findAdapter } from '../../adapters/registry'
import { ScrapeError } from '../../adapters/scrape-error'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { lockSourceSettings, type SourceChange, updateSource } from '../../drizzle/queries/sources/sources'
import { findLookUp } from '../../drizzle/seed/seed'

/**
 * Changes the given settings of a source. Returns the changed source as JSON text, or null when there is no such source. Checks
 * `vendor_config` when it changes and when the source becomes active: with an invalid one every scrape would fail.
 *
 * @throws ServiceError `bad_input` naming the field of `vendor_config` that the vendor's adapter does not accept, with the `look_up` of a seeded source
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
    const isSwitchedOn = change.active === true && !settings.active
    if (change.vendor_config !== undefined || isSwitchedOn) {
      judgeConfig(source, settings.vendor, change.vendor_config ?? settings.vendorConfig, allowPrivateSources)
    }
    return updateSource(tx, source, change)
  }) as Promise<string | null>

const judgeConfig = (source: string, vendor: string, config: Record<string, unknown>, allowPrivate: boolean): void => {
  const adapter = findAdapter(vendor)
  if (adapter === null) {
    throw new ServiceError('bad_input', `vendor_config: there is no adapter for ${vendor} to check it`)
  }
  try {
    checkConfig(adapter.config, config, { allowPrivate })
  } catch (error) {
    // In a scrape this is a configuration error. Here it is bad input.
    if (!(error instanceof ScrapeError)) throw error
    const lookUp = findLookUp(source)
    throw new ServiceError('bad_input', lookUp === null ? error.message : `${error.message}\n${lookUp}`, {
      cause: error,
    })
  }
}
