import type { ScrapeTarget } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { isSameParcel } from './expect-parcel'
import type { Region } from './region'

/** Of the numbers on a page of another parcel. */
const MOST_SHOWN = 5

/**
 * The parcel's number as the page writes it, for pages whose label for it is not known: the first word that is the number the portal
 * was asked for. With a `vendorKey` only that counts: any year on the page of another parcel could be the number of this one.
 *
 * @throws ScrapeError `wrong_parcel` when no word is that number
 */
export const getParcelNumberIn = (region: Region, { sourceParcelId, overrides }: ScrapeTarget): string => {
  const asked = overrides.vendorKey ?? sourceParcelId
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
