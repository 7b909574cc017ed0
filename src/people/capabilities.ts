import { ServiceError } from '../../core/service-error'

export const CAPABILITIES = ['read', 'enqueue', 'admin'] as const
/** What a key may do. Each capability includes the ones before it. Every valid key can read. */
export type Capability = (typeof CAPABILITIES)[number]

/** The capability to export parcels. It is separate: only `admin` includes it. */
export const BULK_EXPORT = 'bulk-export'

/** Capability names that are accepted but have no effect: the contract reserves them. */
const UNENFORCED_CAPABILITIES = ['funder', 'county-officer']

/**
 * The highest capability in `names`; `read` if there is none.
 *
 * @throws ServiceError `bad_config` for an unknown name. The message starts with `where`.
 */
export const highestCapability = (names: readonly unknown[], where: string): Capability => {
  const known = [...CAPABILITIES, BULK_EXPORT, ...UNENFORCED_CAPABILITIES]
  const isKnown = (name: unknown) => known.includes(String(name))
  if (!names.every(isKnown)) throw new ServiceError('bad_config', `${where} must be names from ${known.join(', ')}`)
  return CAPABILITIES.findLast((capability) => names.includes(capability)) ?? 'read'
}
