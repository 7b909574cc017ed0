import { isDirectional, isHouseNumber, standardizeWord } from '../../query/address'
import { splitAddress } from '../../query/text'
import { type HouseNumber, readNumber } from './house-number'
import { listStreets } from './list-streets'
import { isOrdinal } from './ordinals'
import type { Street } from './street'
import { takeUnit } from './unit'
import { takeZipAndState } from './zip-and-state'

/** An address in parts. All texts are folded and in the form of Publication 28. */
export interface StreetAddress {
  number: HouseNumber
  /** The likeliest reading first. Never empty. */
  streets: readonly Street[]
  /** Without the designator: "apt 4b" is "4b". Empty: none. */
  unit: string
  /** The ZIP code in the address itself. Empty: none. */
  zip: string
  state: string
  /** The city, if it is certain: between the comma after the street and the state or ZIP code. Empty: none. */
  city: string
}

/** Longer names are cut: no street has more words. */
const MAX_WORDS = 12

/** Splits an address into its parts. `hasCity`: the city may be in it, without a comma. Null: no words are left. */
export const readAddress = (text: string, hasCity: boolean): StreetAddress | null => {
  const { number, after } = readNumber(text)
  const comma = after.indexOf(',')
  const line = comma < 0 ? after : after.slice(0, comma)
  const words = splitAddress(line).map(standardizeWord).slice(0, MAX_WORDS)
  const place = comma < 0 ? [] : splitAddress(after.slice(comma + 1)).map(standardizeWord)
  const { unit: unitOfPlace, others: placeWords } = takeUnit(place, 0)
  const { zip, state, others: located } = takeZipAndState(placeWords, 'place')
  const own = comma < 0 ? takeZipAndState(words, hasCity ? 'line' : 'street') : { zip: '', state: '', others: words }
  const { unit, others } = takeUnit(own.others, 1)
  if (others.length === 0) return null
  const streets = listStreets(others, comma >= 0 || !hasCity)
  const door = unit === '' && unitOfPlace === '' ? (streets[0]?.door ?? '') : ''
  return {
    number,
    streets: streets.map(({ door: _, rest, ...street }) => ({ ...street, rest: [...rest, ...located] })),
    unit: unit || unitOfPlace || door,
    zip: own.zip || zip,
    state: own.state || state,
    city: zip !== '' || state !== '' ? located.join('') : '',
  }
}

/** Whether a text is written like a street address: a house number, and a word with letters or a direction after it. */
export const looksLikeAddress = (text: string): boolean => {
  const [first = '', ...others] = splitAddress(text)
  if (!isHouseNumber(first)) return false
  // "1234 n 500 w"
  return others.some(
    (word) => /^\p{L}{2,}$/u.test(word) || isOrdinal(word) || (isDirectional(word) && others.length > 1),
  )
}
