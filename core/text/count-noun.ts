/** A count for people: `1,234`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** A count with its noun: `1 parcel`, `1,234 parcels`, `2 entities`. */
export const countNoun = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`
