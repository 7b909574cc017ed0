import { standardizeWord } from '../query/address'
import { editDistance } from '../query/edit-distance'
import { splitAddress } from '../query/text'

export const countyOf = (text: string): string => joinPlace(text.replace(/\s+county\s*$/i, ''))

/** The words of a place in their standard form, joined. */
export const joinPlace = (text: string): string => splitAddress(text).map(standardizeWord).join('')

/** Long names of cities may have a typo or two. */
export const isSameCity = (asked: string, theirs: string): boolean =>
  asked === theirs ||
  (theirs.length >= 5 &&
    editDistance(asked, theirs, 2) <= (theirs.length >= 8 ? 2 : 1) &&
    !isOtherDirection(asked, theirs))

/** Whether only a direction differs: "nlasvegas" is not "lasvegas", and "ehartford" is not "whartford". */
const isOtherDirection = (asked: string, theirs: string): boolean => {
  let same = 0
  while (same < Math.min(asked.length, theirs.length) && asked.at(-1 - same) === theirs.at(-1 - same)) same++
  return [asked, theirs].every((name) => /^[ns]?[ew]?$/.test(name.slice(0, name.length - same)))
}
