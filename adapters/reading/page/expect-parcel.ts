import { ScrapeError } from '../../scrape-error'

/** Ignores punctuation, blanks and case when comparing parcel numbers. */
const keyOf = (parcel: string): string => parcel.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

export const isSameParcel = (shown: string, asked: string): boolean =>
  keyOf(shown) === keyOf(asked) && keyOf(asked) !== ''

/** @throws ScrapeError `wrong_parcel` when the page shows a parcel other than the requested one */
export const expectParcel = (shown: string, asked: string): void => {
  if (isSameParcel(shown, asked)) return
  if (keyOf(asked) === '') {
    throw new ScrapeError('wrong_parcel', `"${asked}" has no letter or digit, so no page can be recognized as its own`)
  }
  throw new ScrapeError('wrong_parcel', `the page is of parcel "${shown}", not of "${asked}"`)
}
