import type { ScrapeTarget } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { isSameParcel } from './page/expect-parcel'
import type { Region } from './region'

/** How many numbers of another parcel's page the message lists. */
const MAX_SHOWN = 5

/**
 * The parcel's number as the page writes it, for pages whose label is not known: the first word that equals the requested
 * number. If there is a `vendorKey`, only that counts: a year on another parcel's page could equal this parcel's number.
 *
 * @throws ScrapeError `wrong_parcel` when no word equals that number, `page_changed` when the page has no number
 */
export const getParcelNumberIn = (region: Region, { sourceParcelId, overrides }: ScrapeTarget): string => {
  const asked = overrides.vendorKey ?? sourceParcelId
  const shown: string[] = []
  // Pieces are searched too, because sometimes only a tag separates a label from its value.
  for (const texts of [region.lines, region.pieces]) {
    for (const word of texts.flatMap((text) => text.split(/[\s:]+/))) {
      if (!/\d/.test(word)) continue
      if (isSameParcel(word, asked)) return word
      if (shown.length < MAX_SHOWN && !shown.includes(word)) shown.push(word)
    }
  }
  if (shown.length === 0) throw new ScrapeError('page_changed', `no number on the ${region.name} page`)
  throw new ScrapeError('wrong_parcel', `"${asked}" is not on the page, which has "${shown.join('", "')}"`)
}
