import { isBucket, openBucket } from '../../../core/bucket'
import type { Config } from '../../config'
import { type Diagnosis, examine, ok } from './diagnosis'

/** A folder that no bucket has. */
const NOWHERE = 'doctor/'

/** Checks that the buckets of kept pages and of exports answer, and may be read. The tile store is checked with its archive (tiles.ts). */
export const examineBuckets = async ({ pagesUrl, exportsUrl }: Pick<Config, 'pagesUrl' | 'exportsUrl'>) => {
  const diagnoses: Diagnosis[] = []
  for (const [about, variable, url] of [
    ['kept pages', 'PAGES_URL', pagesUrl],
    ['exports', 'EXPORTS_URL', exportsUrl],
  ] as const) {
    if (!isBucket(url)) continue
    const advice = `check ${variable}, AWS_ENDPOINT_URL, and the key in AWS_ACCESS_KEY_ID, which must be allowed to list, read and write objects there`
    const found = await examine(about, advice, async () => {
      await openBucket(url, variable).list(NOWHERE)
      return [ok(about, `${url} answers`)]
    })
    diagnoses.push(...found)
  }
  return diagnoses
}
