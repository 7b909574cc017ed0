import { ScrapeError } from '../scrape-error'
import { isSameParcel } from './expect-parcel'
import type { Region } from './region'

/**
 * The parcel's number as the page writes it, for pages whose label of it is not known: the first word that is the number.
 *
 * @throws ScrapeError `wrong_parcel` when no word is
 */
export const getParcelNumberIn = (region: Region, asked: string): string => {
  // Element by element too: nothing need stand between a label and its value but a tag.
  const texts = [...region.lines, ...region.all('*').map(({ text }) => text)]
  const numbers = [...new Set(texts.flatMap((text) => text.split(/[\s:]+/)))].filter((word) => /\d/.test(word))
  const found = numbers.find((word) => isSameParcel(word, asked))
  if (found !== undefined) return found
  throw new ScrapeError(
    'wrong_parcel',
    `"${asked}" is not on the page, which has "${numbers.slice(0, 5).join('", "')}"`,
  )
}
