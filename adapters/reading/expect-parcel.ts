import { ScrapeError } from '../scrape-error'

/** Dashes, dots, blanks and case do not tell parcels apart. */
const keyOf = (parcel: string): string => parcel.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

export const isSameParcel = (shown: string, asked: string): boolean =>
  keyOf(shown) === keyOf(asked) && keyOf(asked) !== ''

/** @throws ScrapeError `wrong_parcel` when the page shows another parcel than the one that was asked for */
export const expectParcel = (shown: string, asked: string): void => {
  if (isSameParcel(shown, asked)) return
  throw new ScrapeError('wrong_parcel', `the page is of parcel "${shown}", not of "${asked}"`)
}
