import { createVocabulary } from '../query/vocabulary'
import type { Street } from './address/street'
import { distanceOfNames, typosOf } from './compare-addresses'
import { add, BY, type Found, note } from './found-rows'
import type { ReadParcel } from './read-parcel'
import { remember } from './remember'
import type { RowQuery, Surroundings } from './row-query'

/** Maximum house numbers of one parcel: "2-98". */
const MAX_NUMBERS = 60
/** A list may misspell the same street in a hundred ways. */
const ALL = Number.POSITIVE_INFINITY

/** The list's streets that are similar to a street of the roll. */
interface SimilarStreets {
  streets: { name: string; distance: number }[]
  /** The rows on them, by house number. */
  rows: Map<string, RowQuery[]>
  isExact: boolean
  /** The cities for which the street was noted since it was looked up. */
  places: Set<string>
}

/** The rows by street and house number. Similar streets are looked up once for each name in the roll. */
export const indexStreets = (queries: readonly RowQuery[]) => {
  const rowsByStreet = new Map<string, Map<string, RowQuery[]>>()
  for (const query of queries) {
    for (const { name } of query.address?.streets ?? []) {
      const rows = rowsByStreet.get(name) ?? new Map<string, RowQuery[]>()
      rowsByStreet.set(name, rows)
      add(rows, query.address?.number.base ?? '', query)
    }
  }
  const names = createVocabulary([...rowsByStreet.keys()].map((word) => ({ word, count: 1 })))
  /** The lowest and the highest house number of the roll's streets, by city. Only for streets that a row spells exactly the same. */
  const exact = new Map<string, [from: number, to: number]>()
  /** The number of typos between a row's street and the most similar one of the roll, by city. */
  const nearest = new Map<string, number>()
  const seen = new Set<string>()
  const noteExact = (key: string, number: number): void => {
    const range = exact.get(key)
    if (range === undefined) exact.set(key, [number, number])
    else if (number < range[0]) range[0] = number
    else if (number > range[1]) range[1] = number
  }

  const findSimilar = remember((name): SimilarStreets | null => {
    const most = typosOf(name.length)
    const near = most === 0 ? [] : names.findNeighbors(name, most, ALL).map(({ word }) => word)
    const streets: SimilarStreets['streets'] = []
    const rows = new Map<string, RowQuery[]>()
    for (const other of new Set(rowsByStreet.has(name) ? [name, ...near] : near)) {
      const distance = distanceOfNames(other, name)
      if (distance === null) continue
      streets.push({ name: other, distance })
      for (const [base, queriesOf] of rowsByStreet.get(other) ?? []) {
        rows.set(base, [...(rows.get(base) ?? []), ...queriesOf])
      }
    }
    return streets.length === 0 ? null : { streets, rows, isExact: rowsByStreet.has(name), places: new Set<string>() }
  })

  /** Records once for each city that the roll has the street. */
  const noteStreets = ({ streets, places }: SimilarStreets, { place, state }: ReadParcel): void => {
    if (places.has(place)) return
    places.add(place)
    for (const { name, distance } of streets) {
      seen.add(name).add(`${name}|${state}`)
      const key = `${name}|${place}`
      if (distance < (nearest.get(key) ?? 3)) nearest.set(key, distance)
    }
  }

  return {
    find: (parcel: ReadParcel, found: Found): void => {
      if (parcel.address === null || rowsByStreet.size === 0) return
      const { number, streets } = parcel.address
      for (const street of streets) {
        const near = findSimilar(street.name)
        if (near === null) continue
        noteStreets(near, parcel)
        if (near.isExact) noteExact(keyOfStreet(street, parcel.place), Number(number.base))
        for (const base of listNumbers(number.base, number.last)) {
          for (const query of near.rows.get(base) ?? []) note(found, query, BY.street)
        }
      }
    },
    /**
     * Whether the roll has another street that a row more likely means: one with a more similar name or, without typos, the street
     * exactly as written, with the same suffix and house numbers in the row's hundred block.
     */
    likelierStreet: ({ address }, { otherStreet }) => {
      if (otherStreet === null) return null
      const { asked, place, typos } = otherStreet
      if (typos > 0) return (nearest.get(`${asked.name}|${place}`) ?? 3) < typos ? 'name' : null
      const number = Number(address?.number.base)
      const [from, to] = exact.get(keyOfStreet(asked, place)) ?? [1, 0]
      const block = number - (number % 100)
      return from <= to && block <= to && block + 99 >= from ? 'suffix' : null
    },
    /** The parcel may be on another street that the roll misspells. */
    isLoneHouse: ({ streetKey }) => {
      if (streetKey === null) return false
      const [from, to] = exact.get(streetKey) ?? [0, 0]
      return from === to
    },
    hasSeen: ({ address, state }: RowQuery): boolean =>
      address?.streets.some(({ name }) => seen.has(state === '' ? name : `${name}|${state}`)) === true,
  } satisfies Surroundings & Record<string, unknown>
}

/** A street of a place, to distinguish it from others of the same name. */
export const keyOfStreet = ({ name, direction, suffix, postDirection }: Street, place: string): string =>
  `${direction} ${name} ${suffix} ${postDirection}|${place}`

const listNumbers = (base: string, last: number | null): string[] => {
  const first = Number(base)
  if (last === null || last <= first || last - first > MAX_NUMBERS) return [base]
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
  return numbers
}
