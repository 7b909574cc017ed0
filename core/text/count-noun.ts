/** A count for people: `1,234`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** A count with its noun: `1 parcel`, `1,234 parcels`, `2 entities`. */
export const countNoun = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`

/** The rows of a file that were read: `All 12 rows`, `The first 1,000 rows`, `The only row`. */
export const describeRowsRead = (read: number, isAll: boolean): string => {
  if (read === 1) return isAll ? 'The only row' : 'The first row'
  return `${isAll ? 'All' : 'The first'} ${countNoun(read, 'row')}`
}
