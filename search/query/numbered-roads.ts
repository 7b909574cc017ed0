import { isDirectional, isHouseNumber, standardizeWord } from './address'
import { findStateByCode } from './states'
import { splitAddress } from './text'

/*
 * Numbered roads have many names. Rolls and people write one and the same road as "STATE HWY 71", "SH 71", "HWY 71" and "TX 71"
 * (Publication 28, Appendix F).
 */

interface RoadClass {
  /** What names the class, before "road", "highway" or "route", or alone. */
  names: string
  /** How records may write it before the number. Other words do not matter: "us" also finds "US HWY". */
  forms: readonly string[]
  /** Its roads may have letters instead of numbers: "COUNTY RD K". */
  hasLetters?: boolean
}

const CLASSES: readonly RoadClass[] = [
  { names: 'i|ih|interstate', forms: ['i', 'ih', 'interstate'] },
  { names: 'us|u s', forms: ['us', 'hwy', 'rte'] },
  { names: 'state|st|sr|sh', forms: ['hwy', 'sr', 'sh', 'state', 'rte'] },
  { names: 'county|co|cnty|cty|cr|cth|csah', forms: ['county', 'cr', 'co', 'cth'], hasLetters: true },
  { names: 'fm|rm|rr|farm to market|rnch(?: to market)?', forms: ['fm', 'rm', 'rr', 'ranch'] },
  { names: '', forms: ['hwy', 'us', 'sr', 'sh', 'rte'] },
]

const ROAD_WORD = '(?:hwy|rd|rte)'
const PATTERNS = CLASSES.map(({ names, hasLetters }) => {
  const name = names === '' ? '(?:hwy|rte)' : `(?:${names})(?: ${ROAD_WORD})?`
  return new RegExp(`^${name} (\\d+[a-z]?${hasLetters === true ? '|[a-z]{1,2}' : ''})(?: ${ROAD_WORD})?((?: .*)?)$`)
})
const STATE_CODE = /^([a-z]{2}) (?=\d)/

/** The other ways to write an address or a street on a numbered road: "12 state hwy 71" → "12 hwy 71", "12 sr 71". Empty: it is on none. */
export const listRoadForms = (text: string): string[] => {
  const words = splitAddress(text).map(standardizeWord)
  const hasNumber = words.length > 2 && isHouseNumber(words[0] ?? '')
  const hasDirection = isDirectional(words[hasNumber ? 1 : 0] ?? '')
  const start = (hasNumber ? 1 : 0) + (hasDirection ? 1 : 0)
  const before = words.slice(0, start)
  const road = words.slice(start).join(' ')
  const [code, state = ''] = STATE_CODE.exec(road) ?? []
  const isOfState = hasNumber && code !== undefined && findStateByCode(state) !== null
  const named = isOfState ? `state ${road.slice(code.length)}` : road
  const place = PATTERNS.findIndex((pattern) => pattern.test(named))
  const [, number = '', after = ''] = PATTERNS[place]?.exec(named) ?? []
  return number === ''
    ? []
    : (CLASSES[place]?.forms ?? [])
        .map((form) => [...before, form, number].join(' ') + after)
        .filter((form) => form !== words.join(' '))
}
