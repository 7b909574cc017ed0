import { findAdapter } from '../../../adapters/registry'
import { ServiceError } from '../../../core/service-error'
import { readVocabulary } from '../../../dev/adapter-cases/read-vocabulary'
import { listGoldenPages } from '../../../drizzle/queries/sources/source-proofs'
import { exportGoldenPage } from '../../scrape/prove/export-golden-page'
import { writeGoldenFile } from '../../scrape/prove/golden-file'
import { createReaderPool } from '../../scrape/readers/reader-pool'
import { useDatabase } from '../command/use-database'

/** Writes the golden pages of these sources, or of all, into a folder. Names, addresses and numbers are replaced. */
export const exportFromCommand = (folder: string, sources: readonly string[]): Promise<void> =>
  useDatabase({ applicationName: 'export golden pages' }, async (sql) => {
    const pages = await listGoldenPages(sql, sources.length === 0 ? null : sources)
    const missing = sources.filter((source) => !pages.some((page) => page.source === source))
    if (missing.length > 0) throw new ServiceError('not_found', `not proved: ${missing.join(', ')}`)
    if (pages.length === 0) return console.log('No source is proved, so there are no golden pages.')
    const readers = createReaderPool()
    const deps = { anonymize: readers.anonymize, findAdapter, readVocabulary }
    let failed = 0
    try {
      for (const golden of pages) {
        try {
          console.log(writeGoldenFile(folder, await exportGoldenPage(deps, golden)))
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error
          failed++
          console.error(`${golden.source} was not exported: ${error.message}`)
        }
      }
    } finally {
      readers.stop()
    }
    if (failed > 0) process.exitCode = 1
  })
