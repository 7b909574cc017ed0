import { ScrapeError } from '../scrape-error'
import { isSameParcel } from './expect-parcel'
import type { Region } from './region'

/** Of the numbers on a page of another parcel. */
const MOST_SHOWN = 5

/**
 * The parcel's number as the page writes it, for pages whose label of it is not known: the first word that is the number.
 *
 * @throws ScrapeError `wrong_parcel` when no word is
 */
export const getParcelNumberIn = (region: Region, asked: string): string => {
  const shown: string[] = []
  // Piece by piece too: nothing need stand between a label and its value but a tag.
  for (const texts of [region.lines, region.pieces]) {
    for (const word of texts.flatMap((text) => text.split(/[\s:]+/))) {
      if (!/\d/.test(word)) continue
      if (isSameParcel(word, asked)) return word
      if (shown.length < MOST_SHOWN && !shown.includes(word)) shown.push(word)
    }
  }
  throw new ScrapeError('wrong_parcel', `"${asked}" is not on the page, which has "${shown.join('", "')}"`)
}
