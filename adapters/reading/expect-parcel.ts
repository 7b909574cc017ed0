import { ScrapeError } from '../scrape-error'

/** Dashes, dots, blanks and case do not tell parcels apart. */
const keyOf = (parcel: string): string => parcel.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

/** @throws ScrapeError `wrong_parcel` when the page shows another parcel than the one that was asked for */
export const expectParcel = (shown: string, asked: string): void => {
  if (keyOf(shown) === keyOf(asked) && keyOf(asked) !== '') return
  throw new ScrapeError('wrong_parcel', `the page is of parcel "${shown}", not of "${asked}"`)
}
