import type { Adapter } from '../../../adapters/adapter'
import { countNoun } from '../../../core/text/count-noun'
import { readGoldenFiles } from '../../scrape/prove/golden-file'
import { findDifference } from '../../scrape/prove/read-golden-page'
import { readHere } from '../../scrape/readers/readers'

/**
 * Reads the golden pages in a folder with these adapters. Prints each page whose result differs from the exported one.
 *
 * @returns whether all results are the same
 */
export const checkGoldenPages = async (folder: string, adapters: readonly Adapter[]): Promise<boolean> => {
  let pages = 0
  let different = 0
  for (const golden of readGoldenFiles(folder)) {
    const adapter = adapters.find(({ vendor }) => vendor === golden.vendor)
    if (adapter === undefined) continue
    pages++
    const difference = await findDifference(readHere, adapter, golden)
    if (difference === null) continue
    different++
    console.log(`golden page of ${golden.source}: ${difference}`)
  }
  console.log(`${countNoun(pages, 'golden page')} read, ${different} of them differently.`)
  return different === 0
}
