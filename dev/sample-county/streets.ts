import { PLACE_WORDS } from './names'
import type { Random } from './random'

/** Streets run east-west, avenues north-south; line 0 passes through the town's center, north and east are positive. */
export type StreetAxis = 'street' | 'avenue'

/** Where a lot meets a street: the line, the distance along it from the town's center (meters), and the side. */
export interface Frontage {
  axis: StreetAxis
  line: number
  alongM: number
  evenSide: boolean
}

/** The lines of a township: 50 streets to the north and south of the center, 30 avenues to the east and west. */
const FARTHEST: Record<StreetAxis, number> = { street: 50, avenue: 30 }
/** The town ends at these lines; beyond them streets are roads. */
const TOWN_EDGE: Record<StreetAxis, number> = { street: 10, avenue: 6 }
/** USPS Publication 28, appendix C1. */
const SUFFIXES: Record<StreetAxis, string[]> = {
  street: ['ST', 'ST', 'ST', 'LN', 'DR', 'CT', 'WAY'],
  avenue: ['AVE', 'AVE', 'AVE', 'BLVD', 'PL', 'TER'],
}

/** Names that every town has: names of states, and names with Saint, Mount and Fort in both spellings. */
const COMMON_NAMES: Record<StreetAxis, Readonly<Record<number, string>>> = {
  street: { 2: 'WASHINGTON ST', 4: 'SAINT HELENS ST', 6: 'MT VERNON ST', 8: 'FORT ROCK ST' },
  avenue: { '-4': 'ST CLAIR AVE', '-2': 'MOUNT HOOD AVE', 2: 'DELAWARE AVE', 4: 'INDIANA AVE' },
}

export type StreetNames = Record<StreetAxis, string[]>

/** A town's street names, by axis and line. Main Street and Central Avenue cross at the center; streets to the south are numbered. */
export const nameStreets = (random: Random): StreetNames => {
  const shift = random.below(PLACE_WORDS.length)
  let named = 0
  const nameLine = (axis: StreetAxis, line: number): string => {
    if (line === 0) return axis === 'street' ? 'MAIN ST' : 'CENTRAL AVE'
    if (axis === 'street' && line < 0) return `${ordinal(-line)} ST`
    const suffix = Math.abs(line) > TOWN_EDGE[axis] ? 'RD' : random.pick(SUFFIXES[axis])
    const word = PLACE_WORDS[(shift + named++) % PLACE_WORDS.length]
    return COMMON_NAMES[axis][line] ?? `${word} ${suffix}`
  }
  const nameLines = (axis: StreetAxis) =>
    Array.from({ length: 2 * FARTHEST[axis] + 1 }, (_, at) => nameLine(axis, at - FARTHEST[axis]))
  return { street: nameLines('street'), avenue: nameLines('avenue') }
}

const ordinal = (n: number): string => {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? undefined : ['TH', 'ST', 'ND', 'RD'][n % 10]
  return `${n}${ending ?? 'TH'}`
}

const NUMBER_M = 2.7

/** House numbers begin at 100 in the center and increase by two per 2.7 m: a hundred per avenue, without duplicates. */
export const writeAddress = (streets: StreetNames, { axis, line, alongM, evenSide }: Frontage): string => {
  const number = 100 + 2 * Math.floor(Math.abs(alongM) / NUMBER_M) + (evenSide ? 0 : 1)
  const side = axis === 'street' ? (alongM < 0 ? 'W' : 'E') : alongM < 0 ? 'S' : 'N'
  return `${number} ${side} ${streets[axis][line + FARTHEST[axis]]}`
}

/** The place with the next number on the same side. */
export const nextNumber = (frontage: Frontage): Frontage => ({
  ...frontage,
  alongM: frontage.alongM + (frontage.alongM < 0 ? -NUMBER_M : NUMBER_M),
})

const TOWN_ENDINGS = [
  ...[
    ' FLAT',
    ' CREEK',
    ' SPRINGS',
    'TON',
    ' BUTTE',
    ' FALLS',
    'VILLE',
    ' JUNCTION',
    ' RIDGE',
    'DALE',
    ' MEADOWS',
    'BURG',
  ],
  ...[' CITY', ' CROSSING', ' GROVE'],
]

/** Towns named like states. */
const STATE_TOWNS: Readonly<Record<number, string>> = { 1: 'WASHINGTON', 5: 'NEVADA', 12: 'VIRGINIA', 25: 'WYOMING' }

/** The n-th town; the first is the county seat. Names are unique below 4,000. */
export const townName = (index: number): string => {
  if (index === 0) return 'LARKSPUR'
  const ofState = STATE_TOWNS[index]
  if (ofState !== undefined) return ofState
  const round = Math.floor(index / PLACE_WORDS.length)
  const ending = TOWN_ENDINGS[(index + round) % TOWN_ENDINGS.length]
  return `${round < TOWN_ENDINGS.length ? '' : 'NEW '}${PLACE_WORDS[index % PLACE_WORDS.length]}${ending}`
}
