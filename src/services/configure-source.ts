import { checkConfig } from '../../adapters/check-config'
import { findAdapter } from '../../adapters/registry'
import { ScrapeError } from '../../adapters/scrape-error'
import type { Sql } from '../../drizzle/database'
import { findSourceVendor, updateSource } from '../../drizzle/queries/sources'
import { ServiceError } from '../service-error'

/**
 * Changes what was given and leaves the rest. The changed source as JSON text; null when there is none.
 *
 * @throws ServiceError `bad_input` naming the field of `vendor_config` that the source's vendor does not take
 */
export const configureSource = async (
  sql: Sql,
  source: string,
  change: { active?: boolean | undefined; vendor_config?: Record<string, unknown> | undefined },
  { allowPrivateSources }: { allowPrivateSources: boolean },
): Promise<string | null> => {
  if (change.vendor_config !== undefined) {
    const vendor = await findSourceVendor(sql, source)
    if (vendor === null) return null
    const adapter = findAdapter(vendor)
    if (adapter === null)
      throw new ServiceError('bad_input', `vendor_config: there is no adapter for ${vendor} to check it`)
    try {
      checkConfig(adapter.config, change.vendor_config, { allowPrivate: allowPrivateSources })
    } catch (error) {
      // In a scrape it would be the configuration's fault; here it is the caller's.
      if (error instanceof ScrapeError) throw new ServiceError('bad_input', error.message, { cause: error })
      throw error
    }
  }
  return updateSource(sql, source, change)
}
