import { Type } from '@sinclair/typebox'
import type { RawDocument, ScrapeTarget } from '../../adapter'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readJson } from '../../reading/read-json'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** The fields of the search response that the adapter uses. */
const answer = Type.Object({
  total: Type.Number(),
  items: Type.Array(Type.Object({ fields: Type.Object({ Account: Type.Unknown(), AlternateKey: Type.Unknown() }) })),
})

/** An account in the search response. Its page needs two keys. */
export type FoundAccount = Readonly<Record<string, string>> & { Account: string; AlternateKey: string }

/** The portal sends numbers in some places and text in others; null is empty. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/**
 * The one account of this parcel.
 *
 * @throws ScrapeError `not_found`; `page_changed` naming the missing field; `bad_config` when several accounts share
 * the parcel and `vendorKey` (the AlternateKey) is needed
 */
export const readFoundAccount = (
  documents: readonly RawDocument[],
  { sourceParcelId, overrides }: ScrapeTarget,
  { parcel_field }: Config,
): FoundAccount => {
  const { total, items } = readJson(documents, 'search', answer)
  const accounts = items.map(
    ({ fields }) =>
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, textOfValue(value)])) as FoundAccount,
  )
  if (accounts.length > 0 && accounts.every((account) => account[parcel_field] === undefined)) {
    throw new ScrapeError('page_changed', `no "${parcel_field}" in the search response`)
  }
  const matches = accounts.filter(
    (account) =>
      isSameParcel(account[parcel_field] ?? '', sourceParcelId) &&
      (overrides.vendorKey === undefined || account.AlternateKey === overrides.vendorKey),
  )
  const [account, ...others] = matches
  if (account === undefined) {
    throw new ScrapeError('not_found', `none of the ${total} accounts that the search finds is "${sourceParcelId}"`)
  }
  if (others.length > 0) {
    throw new ScrapeError(
      'bad_config',
      `${matches.length} accounts share "${sourceParcelId}": set vendorKey to choose one`,
    )
  }
  return account
}
