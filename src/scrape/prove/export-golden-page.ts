import type { Adapter } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import { ServiceError } from '../../../core/service-error'
import type { StoredGoldenPage } from '../../../drizzle/queries/sources/source-proofs'
import type { Vocabulary } from './anonymize'
import type { Anonymize, GoldenFile } from './golden-file'

export interface ExportDeps {
  anonymize: Anonymize
  findAdapter: (vendor: string) => Adapter | null
  /** The words of the vendor's pages that are not personal data. */
  readVocabulary: (vendor: string, vendorConfig: Record<string, unknown>) => Vocabulary
}

/**
 * Exports a golden page as a file for other machines, without names, addresses and numbers.
 *
 * @throws ServiceError `conflict` if it cannot be anonymized, or cannot be read with the current adapter and settings
 */
export const exportGoldenPage = async (
  { anonymize, findAdapter, readVocabulary }: ExportDeps,
  golden: StoredGoldenPage,
): Promise<GoldenFile> => {
  const { vendor, vendorConfig } = golden
  const adapter = findAdapter(vendor)
  if (adapter === null) throw new ServiceError('conflict', `there is no adapter for ${vendor}`)
  try {
    const anonymized = await anonymize(adapter, golden, readVocabulary(vendor, vendorConfig))
    if ('file' in anonymized) return anonymized.file
    throw new ServiceError('conflict', anonymized.refused)
  } catch (cause) {
    if (!(cause instanceof ScrapeError)) throw cause
    throw new ServiceError('conflict', `the golden page cannot be read: ${cause.message}`, { cause })
  }
}
