import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Adapter } from './adapter'
import { ADAPTERS, findAdapter } from './registry'
import { ScrapeError } from './scrape-error'

/**
 * Loads the adapter of a vendor, even one that has a folder but is not in the registry yet. For adapter authors.
 *
 * @throws ScrapeError `bad_config` when there is none
 */
export const loadAdapter = async (vendor: string): Promise<Adapter> => {
  const known = findAdapter(vendor)
  if (known !== null) return known
  const file = join(import.meta.dirname, 'vendors', vendor, 'adapter.ts')
  if (!/^[a-z0-9-]+$/.test(vendor) || !existsSync(file)) {
    throw new ScrapeError(
      'bad_config',
      `there is no adapter for the vendor ${vendor}. Vendors: ${ADAPTERS.map((one) => one.vendor).join(', ')}`,
    )
  }
  const exports = Object.values((await import(file)) as Record<string, Adapter>)
  const adapter = exports.find((candidate) => candidate?.vendor === vendor)
  if (adapter === undefined) throw new ScrapeError('bad_config', `${file} exports no adapter of the vendor ${vendor}`)
  return adapter
}
