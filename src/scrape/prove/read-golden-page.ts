import type { Adapter, ScrapeTarget } from '../../../adapters/adapter'
import { checkConfig } from '../../../adapters/check-config'
import type { GoldenPage } from '../../../drizzle/queries/sources/source-proofs'
import { describeFailure } from '../fetch/describe-failure'
import { NO_VALIDATORS } from '../fetch/scrape-parcel'
import type { SettledScrape } from '../fetch/settle-scrape'
import type { PageSet } from '../pages/page-set'
import type { Readers } from '../readers/readers'
import { comparable } from './compare-with-page'
import { listDifferent } from './list-different'

/** A golden page with its decoded responses. */
export interface OpenGoldenPage extends Pick<GoldenPage, 'target' | 'answeredAt'> {
  set: PageSet
  vendorConfig: Record<string, unknown>
}

/**
 * Reads a golden page with the current adapter. No request is sent.
 *
 * @throws ScrapeError as adapters do
 */
export const readGoldenPage = async (
  readers: Pick<Readers, 'replay'>,
  adapter: Adapter,
  { target, set, answeredAt, vendorConfig }: OpenGoldenPage,
): Promise<SettledScrape> => {
  const read = await readers.replay(
    {
      adapter,
      target: { ...(target as unknown as ScrapeTarget), validators: NO_VALIDATORS },
      config: checkConfig(adapter.config, vendorConfig, { allowPrivate: true }),
    },
    { set, answeredAt },
  )
  if (read === 'not-modified') throw new Error('a golden page has no answer 304')
  return read
}

/** How the current result of a golden page differs from the accepted one, in words; null if it does not differ. */
export const findDifference = async (
  readers: Readers,
  adapter: Adapter,
  golden: OpenGoldenPage & Pick<GoldenPage, 'read'>,
): Promise<string | null> => {
  try {
    const now = comparable(await readGoldenPage(readers, adapter, golden))
    const fields = ['fields', 'scrape'].flatMap((part) =>
      listDifferent(golden.read[part] as object, now[part as keyof typeof now]),
    )
    return fields.length === 0 ? null : `other values in ${fields.join(', ')}`
  } catch (error) {
    const { code, message } = describeFailure(error)
    return `${code}: ${message}`
  }
}
