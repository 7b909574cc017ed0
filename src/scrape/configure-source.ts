import type { Static, TSchema } from '@sinclair/typebox'
import { type Adapter, gradeIn } from '../../adapters/adapter'
import { checkConfig } from '../../adapters/check-config'
import { refusePrivateUrl } from '../../adapters/http/public-address'
import { ADAPTERS, findAdapter as findInRegistry } from '../../adapters/registry'
import { ScrapeError } from '../../adapters/scrape-error'
import type { Sql, Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { FILE_VENDOR } from '../../core/sources/file-vendor'
import { cancelJobs } from '../../drizzle/queries/jobs/order/cancel-jobs'
import { isProved, recheckProofs } from '../../drizzle/queries/sources/source-proofs'
import {
  lockSourceSettings,
  type SourceChange,
  type SourceSettings,
  updateSource,
} from '../../drizzle/queries/sources/sources'
import { findLookUp } from '../../drizzle/seed/seed'
import { checkFileSettings, fileSettings } from '../loads/file-settings'

interface Options {
  allowPrivateSources: boolean
}

/**
 * Changes the given settings of a source. Returns the changed source as JSON text, or null when there is no such source. Checks
 * `vendor_config` when it or the vendor changes and when the source becomes active: with an invalid one, every scrape would fail. This
 * is the only place that activates a source. A source whose vendor has grade C must be proved first.
 *
 * @throws ServiceError `bad_input` as `checkVendor` and `checkVendorConfig`; `conflict` for a retired source; `not_proved` with the command
 * that proves the source
 */
export const configureSource = (
  sql: Sql,
  source: string,
  change: SourceChange,
  options: Options,
): Promise<string | null> =>
  sql.begin(async (tx) => {
    const before = await lockSourceSettings(tx, source)
    if (before === null) return null
    if (before.isRetired) throw new ServiceError('conflict', describeRetired(source))
    const after = {
      vendor: change.vendor ?? before.vendor,
      baseUrl: change.base_url ?? before.baseUrl,
      state: change.state ?? before.state,
      vendorConfig: change.vendor_config ?? before.vendorConfig,
      active: change.active ?? before.active,
    }
    const hasOtherVendor = after.vendor !== before.vendor
    const hasMoved = hasOtherVendor || after.baseUrl !== before.baseUrl
    const isSwitchedOn = after.active && (!before.active || hasOtherVendor)
    if (hasMoved) checkVendor(after, options)
    // The settings of an inactive source may be added later.
    const isOpen = !after.active && Object.keys(after.vendorConfig).length === 0
    if (!isOpen && (change.vendor_config !== undefined || hasOtherVendor || isSwitchedOn)) {
      checkSourceConfig({ source, ...after }, options)
    }
    if (isSwitchedOn) await checkCanRun(tx, source, after)
    if (change.vendor_config !== undefined || hasMoved) await recheckProofs(tx, [source])
    if (hasOtherVendor) await cancelQueuedJobs(tx, source)
    return updateSource(tx, source, change)
  }) as Promise<string | null>

/** How many jobs one statement cancels. */
const JOBS_AT_A_TIME = 5_000

/** Cancels queued jobs, because they have the former vendor. */
const cancelQueuedJobs = async (tx: Transaction, source: string): Promise<void> => {
  const queued = { source, status: 'queued', limit: JOBS_AT_A_TIME } as const
  while ((await cancelJobs(tx, queued, 'cancelled: the source has another vendor')) === JOBS_AT_A_TIME);
}

/** The message for a caller who changes a retired source or loads into it. */
export const describeRetired = (source: string): string => `${source} is retired: restore it first`

/** @throws ServiceError `bad_input`, `not_proved` */
const checkCanRun = async (
  tx: Parameters<typeof isProved>[0],
  source: string,
  { vendor, state, baseUrl }: Pick<SourceSettings, 'vendor' | 'state' | 'baseUrl'>,
): Promise<void> => {
  if (vendor === FILE_VENDOR) {
    if (baseUrl !== '') return
    throw new ServiceError('bad_input', 'base_url is missing: without the URL of the file there is nothing to fetch')
  }
  const adapter = findInRegistry(vendor)
  if (adapter !== null && gradeIn(adapter, state) === 'C' && !(await isProved(tx, source, vendor))) {
    throw new ServiceError('not_proved', describeUnproved(source, vendor))
  }
}

const describeUnproved = (source: string, vendor: string): string =>
  `not_proved: the pages of ${vendor} are known from one project only (grade C). Compare one parcel with the portal before you switch the source on: bun run adapter prove ${source} --parcel ID, or make a dry run on its page in the console`

/**
 * Checks a vendor and the URL of its portal or file. `field` is the URL's name in messages.
 *
 * @throws ServiceError `bad_input` naming the field
 */
export const checkVendor = (
  { vendor, baseUrl }: { vendor: string; baseUrl: string },
  { allowPrivateSources }: Options,
  field = 'base_url',
): void => {
  const isFile = vendor === FILE_VENDOR
  if (!isFile && findInRegistry(vendor) === null) {
    const known = [FILE_VENDOR, ...ADAPTERS.map((adapter) => adapter.vendor)]
    throw new ServiceError('bad_input', `vendor must be one of ${known.join(', ')}`)
  }
  if (isFile && baseUrl === '') return
  const url = URL.parse(baseUrl)
  const protocols = isFile && !allowPrivateSources ? ['https:'] : ['https:', 'http:']
  if (url === null || !protocols.includes(url.protocol)) {
    const what = isFile ? 'the https URL of the file, or empty' : 'an http or https URL'
    throw new ServiceError('bad_input', `${field} must be ${what}`)
  }
  try {
    refusePrivateUrl(url, { allowPrivate: allowPrivateSources })
  } catch (error) {
    if (!(error instanceof ScrapeError)) throw error
    throw new ServiceError('bad_input', `${field}: ${error.message}`, { cause: error })
  }
}

/** The JSON Schema of a vendor's `vendor_config`. Null: there is no schema. */
export const configSchemaOf = (vendor: string): TSchema | null =>
  vendor === FILE_VENDOR ? fileSettings : (findInRegistry(vendor)?.config ?? null)

/** @throws ServiceError `bad_input` as `checkVendorConfig` */
export const checkSourceConfig = (
  { source, vendor, vendorConfig }: { source: string; vendor: string; vendorConfig: Record<string, unknown> },
  { allowPrivateSources }: Options,
): void => {
  if (vendor === FILE_VENDOR) checkFileSettings(vendorConfig, 'vendor_config')
  else checkVendorConfig({ source, vendor, vendorConfig, allowPrivateSources })
}

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
