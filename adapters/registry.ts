import { Value } from '@sinclair/typebox/value'
import { findProblem } from '../src/schema-problem'
import type { Adapter } from './adapter'
import { refusePrivateUrl } from './http/public-address'
import { pacsPropertyAccess } from './pacs-property-access/adapter'
import { ScrapeError } from './scrape-error'

/** Every adapter that there is, by vendor. */
export const ADAPTERS: readonly Adapter[] = [pacsPropertyAccess]

const BY_VENDOR: ReadonlyMap<string, Adapter> = new Map(ADAPTERS.map((adapter) => [adapter.vendor, adapter]))

/** @throws ScrapeError `bad_config` when no adapter has this name */
export const getAdapter = (vendor: string): Adapter => {
  const adapter = BY_VENDOR.get(vendor)
  if (adapter === undefined) throw new ScrapeError('bad_config', `no adapter is called "${vendor}"`)
  return adapter
}

/**
 * `vendor_config` as the vendor's adapter takes it: checked against its schema, with defaults filled in. Addresses in it may
 * not be private ones.
 *
 * @throws ScrapeError `bad_config` naming the field and what it takes
 */
export const checkVendorConfig = (
  vendor: string,
  vendorConfig: unknown,
  { allowPrivate }: { allowPrivate: boolean },
): unknown => {
  const { config: schema } = getAdapter(vendor)
  const config = Value.Default(schema, Value.Clone(vendorConfig))
  const problem = findProblem(schema, config, 'vendor_config')
  if (problem !== null) throw new ScrapeError('bad_config', problem)
  for (const text of textsIn(config)) {
    if (/^[a-z]+:\/\//i.test(text) && URL.canParse(text)) refusePrivateUrl(new URL(text), { allowPrivate })
  }
  return config
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* textsIn(part)
}
