import { LIST_BOUNDS } from '../../core/bounds'
import type { MatchParcelRow } from '../../drizzle/queries/matches/match-parcels'
import { isPoBox, isStreetSuffix, shortenZip, standardizeWord } from '../query/address'
import { editDistance } from '../query/edit-distance'
import { dropIdLabels, spellId } from '../query/parcel-id'
import { splitAddress } from '../query/text'
import { createVocabulary } from '../query/vocabulary'
import {
  compareNumbers,
  compareStreets,
  compareUnits,
  costOfWords,
  LEAST_CONTRADICTION,
  nameCost,
  typosOf,
} from './compare-addresses'
import { compareOwners, isForm, isMisspelledForm, type OwnerName, readOwner } from './compare-owners'
import { type Decision, decideRow, isExactDecision } from './decide'
import { type ListRow, type Point, readPoint, readState, readZip, untangleRow } from './list-row'
import { type Probe, probeOf } from './probe'
import { ID_WORTH, type RowCandidate, type RowQuery, type Surroundings } from './row-query'
import { readAddress, type Street, type StreetAddress } from './street-address'

/**
 * Maximum candidates kept for one row, and for all rows together. Others are only counted. With many rows, each keeps as many as a
 * response lists.
 */
const MAX_CANDIDATES = 100
const MIN_CANDIDATES = LIST_BOUNDS.candidates
const MAX_KEPT = 1_000_000
/** Maximum house numbers of one parcel: "2-98". */
const MAX_NUMBERS = 60
const MIN_ANCHOR = 3
/** How many words of a name are used to look it up. */
const MAX_ANCHORS = 3
/** A list may misspell the same street in a hundred ways. */
const ALL = Number.POSITIVE_INFINITY
/** Texts of parcels whose results are remembered. The parcels of the whole country have millions of different words. */
const MAX_REMEMBERED = 100_000

export interface ListMatcher {
  /** Compares one parcel with the list. */
  see: (parcel: MatchParcelRow) => void
  /** The rows with a point, for a search by place. */
  points: readonly { row: number; point: Point }[]
  /** A parcel whose boundary contains the point of a row. */
  seeAtPoint: (row: number, parcel: MatchParcelRow) => void
  /** The answer to a row, after all parcels were seen. */
  decide: (row: number) => Decision
  /** How an index finds the parcels that match a row exactly. */
  probe: (row: number) => Probe
  /** Whether only the parcels of the row's probe can affect its answer. */
  isExact: (row: number, decision: Decision) => boolean
}

/**
 * Compares a list with parcels that are passed in one by one, in any order. Memory use depends only on the list. Rows and parcels are
 * normalized by the functions of search: words of Publication 28, folded names, spellings of ids.
 */
export const createListMatcher = (rows: readonly ListRow[]): ListMatcher => {
  const queries = rows.map(createQuery)
  const most = Math.max(MIN_CANDIDATES, Math.min(MAX_CANDIDATES, Math.floor(MAX_KEPT / rows.length)))
  const ids = indexIds(queries)
  const streets = indexStreets(queries)
  const owners = indexOwners(queries)

  const judge = (query: RowQuery, parcel: ReadParcel, by: number): void => {
    if (!isSamePlace(query, parcel)) return
    const idWorth = worthOfId(query, parcel)
    if (idWorth > 0) query.seen.id = true
    const isFound = (by & (BY.street | BY.point)) !== 0 || idWorth > 0
    const owner = isFound ? null : compareOwner(query, parcel)
    if (!isFound && owner === null) return
    const address = compareWithParcel(query, parcel)
    if ((by & ~BY.street) === 0 && idWorth === 0 && address.cost === null && !address.isNearNumber) return
    const { streets: compared, typos, leftOut } = address
    const isEqual = address.cost === 0 || leftOut !== null
    keep(query, most, {
      parcel: parcel.listed,
      idWorth,
      address: address.cost,
      isNearNumber: address.isNearNumber,
      leftOut,
      otherStreet:
        compared === null || address.isSameStreet ? null : { asked: compared.asked, place: parcel.place, typos },
      streetKey: compared === null || !isEqual ? null : keyOfStreet(compared.theirs, parcel.place),
      owner: isFound ? compareOwner(query, parcel) : owner,
      isAtPoint: (by & BY.point) !== 0,
    })
  }

  return {
    see: (listed) => {
      const parcel = readParcel(listed)
      const found: Found = new Map()
      ids.find(parcel, found)
      streets.find(parcel, found)
      owners.find(parcel, found)
      for (const [query, by] of found) judge(query, parcel, by)
    },
    points: queries.flatMap(({ point }, row) => (point === null || point === 'invalid' ? [] : [{ row, point }])),
    seeAtPoint: (row, listed) => {
      const query = queries[row]
      if (query === undefined) return
      const known = query.candidates.find(({ parcel }) => parcel.id === listed.id)
      if (known !== undefined) known.isAtPoint = true
      else judge(query, readParcel(listed), BY.point)
    },
    decide: (row) => {
      const query = queries[row] as RowQuery
      query.seen.street = streets.hasSeen(query)
      return decideRow(query, streets)
    },
    probe: (row) => probeOf(queries[row] as RowQuery),
    isExact: (row, decision) => isExactDecision(queries[row] as RowQuery, decision),
  }
}

/** How a parcel was found for a row, as bits. */
const BY = { id: 1, street: 2, owner: 4, point: 8 } as const
type Found = Map<RowQuery, number>

const note = (found: Found, query: RowQuery, by: number): void => {
  found.set(query, (found.get(query) ?? 0) | by)
}

const compareOwner = (query: RowQuery, parcel: ReadParcel): number | null => {
  if (query.owner === null) return null
  const owner = parcel.owner()
  return owner === null ? null : compareOwners(query.owner, owner)
}

const createQuery = (written: ListRow): RowQuery => {
  const row = untangleRow(written)
  const text = `${row.address ?? ''}${row.unit === undefined || row.unit === '' ? '' : `, unit ${row.unit.replace(/^#/, '')}`}`
  const address =
    row.address === undefined || isPoBox(splitAddress(row.address))
      ? null
      : readAddress(text, row.city === undefined && row.state === undefined)
  const id = (row.parcel_id ?? '').trim().replace(/^(\d+)\.0$/, '$1')
  return {
    row,
    idSpellings: /[\p{L}\p{N}]/u.test(id) ? spellId(dropIdLabels(id) ?? id) : null,
    address,
    owner: row.owner === undefined ? null : readOwner(row.owner),
    city: joinPlace(row.city ?? ''),
    zip: (row.zip === undefined ? null : readZip(row.zip)) ?? address?.zip ?? '',
    state: (row.state === undefined ? null : readState(row.state)) ?? address?.state ?? '',
    county: countyOf(row.county ?? ''),
    source: row.source ?? '',
    point: readPoint(row),
    candidates: [],
    dropped: { parcel_id: 0, address: 0, owner: 0, point: 0 },
    seen: { id: false, street: false, number: false },
  }
}

const countyOf = (text: string): string => joinPlace(text.replace(/\s+county\s*$/i, ''))

const joinPlace = (text: string): string => splitAddress(text).map(standardizeWord).join('')

interface ReadParcel {
  listed: MatchParcelRow
  address: StreetAddress | null
  /** Its source and city, to distinguish streets with the same name. */
  place: string
  city: string
  zip: string
  state: string
  county: string
  idSpellings: () => readonly [string, string, string]
  owner: () => OwnerName | null
}

const once = <Value>(read: () => Value): (() => Value) => {
  let value: { of: Value } | null = null
  return () => {
    value ??= { of: read() }
    return value.of
  }
}

/** Remembers the results for texts that parcels have in common. Forgets all of them when there are too many. */
const remember = <Value>(read: (text: string) => Value): ((text: string) => Value) => {
  const known = new Map<string, Value>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= MAX_REMEMBERED) known.clear()
    const value = read(text)
    known.set(text, value)
    return value
  }
}

const joinPlaceOnce = remember((text) => countyOf(text))

const readParcel = (listed: MatchParcelRow): ReadParcel => {
  const { situsAddress, situsCity, situsZip, situsState, state, countyName, ownerName, sourceParcelId } = listed
  const address = situsAddress === null ? null : readAddress(situsAddress, false)
  const city = situsCity === null ? '' : joinPlaceOnce(situsCity)
  return {
    listed,
    address,
    place: `${listed.source}|${city}`,
    city,
    zip: (situsZip === null ? null : shortenZip(situsZip)) ?? address?.zip ?? '',
    state: situsState?.length === 2 ? situsState.toUpperCase() : state,
    county: joinPlaceOnce(countyName),
    idSpellings: once(() => spellId(sourceParcelId)),
    owner: once(() => (ownerName === null ? null : readOwner(ownerName))),
  }
}

const isSamePlace = (query: RowQuery, parcel: ReadParcel): boolean =>
  (query.state === '' || query.state === parcel.state) &&
  (query.county === '' || query.county === parcel.county) &&
  (query.source === '' || query.source === parcel.listed.source)

const worthOfId = ({ idSpellings }: RowQuery, parcel: ReadParcel): number => {
  if (idSpellings === null) return ID_WORTH.none
  const [whole, grouped, short] = idSpellings
  const [theirWhole, theirGrouped, theirShort] = parcel.idSpellings()
  if (whole === theirWhole) return grouped === theirGrouped ? ID_WORTH.exact : ID_WORTH.whole
  // "12-1-10" is "12-0001-0010", and "0012" is not "12-".
  if (grouped === theirGrouped) return ID_WORTH.grouped
  return short === theirShort ? ID_WORTH.short : ID_WORTH.none
}

/** The parcels by the spellings of their ids. */
const indexIds = (queries: readonly RowQuery[]) => {
  const [wholes, shorts] = [new Map<string, RowQuery[]>(), new Map<string, RowQuery[]>()]
  for (const query of queries) {
    if (query.idSpellings === null) continue
    const [whole, , short] = query.idSpellings
    add(wholes, whole, query)
    add(shorts, short, query)
  }
  return {
    find: (parcel: ReadParcel, found: Found): void => {
      if (wholes.size === 0) return
      const [whole, , short] = parcel.idSpellings()
      for (const query of wholes.get(whole) ?? []) note(found, query, BY.id)
      for (const query of shorts.get(short) ?? []) note(found, query, BY.id)
    },
  }
}

const add = <Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else if (list.at(-1) !== value) list.push(value)
}

const digitsOf = (text: string): string => text.replace(/\D+/g, '')

/** Null: they are different streets. */
const distanceOfNames = (asked: string, theirs: string): number | null => {
  if (asked === theirs) return 0
  const most = Math.min(typosOf(asked.length), typosOf(theirs.length))
  if (most === 0 || (/\d/.test(asked + theirs) && digitsOf(asked) !== digitsOf(theirs))) return null
  const distance = editDistance(asked, theirs, most)
  return distance > most ? null : distance
}

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
const indexStreets = (queries: readonly RowQuery[]) => {
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
    const near = most === 0 ? [] : names.findNeighbours(name, most, ALL).map(({ word }) => word)
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

const keyOfStreet = ({ name, direction, suffix, postDirection }: Street, place: string): string =>
  `${direction} ${name} ${suffix} ${postDirection}|${place}`

const listNumbers = (base: string, last: number | null): string[] => {
  const first = Number(base)
  if (last === null || last <= first || last - first > MAX_NUMBERS) return [base]
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
  return numbers
}

/**
 * The rows by the words of their owners: by each pair of the three rarest ones, so that one may be misspelled or missing in the roll. A
 * single word would find far too many parcels.
 */
const indexOwners = (queries: readonly RowQuery[]) => {
  const counts = new Map<string, number>()
  const wholes = new Map<string, RowQuery[]>()
  for (const query of queries) {
    if (query.owner === null) continue
    add(wholes, query.owner.joined, query)
    for (const word of query.owner.words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const numbers = new Map<string, number>()
  const numberOf = (word: string): number => {
    const number = numbers.get(word) ?? numbers.size
    numbers.set(word, number)
    return number
  }
  const rowsByPair = new Map<number, RowQuery[]>()
  for (const query of queries) {
    const words = [...new Set(query.owner?.words ?? [])].filter(isAnchor)
    const rarest = words.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, MAX_ANCHORS)
    const ofRow = rarest.map(numberOf)
    // In "webb living trsut", only "webb" is a name.
    const names = rarest.length === 2 ? rarest.filter((word) => !isMisspelledForm(word)) : rarest
    const [only] = names
    if (names.length === 1 && only !== undefined) add(rowsByPair, pairOf(numberOf(only), numberOf(only)), query)
    for (const [place, one] of ofRow.entries()) {
      for (const other of ofRow.slice(place + 1)) add(rowsByPair, pairOf(one, other), query)
    }
  }
  const vocabulary = createVocabulary([...numbers.keys()].map((word) => ({ word, count: 1 })))
  const listSimilar = remember((word): readonly number[] => {
    // If one word has two typos, the other words find the owner.
    const near = word.length < 4 || /\d/.test(word) ? [] : vocabulary.findNeighbours(word, 1, ALL)
    return [...new Set([word, ...near.map((one) => one.word)])].flatMap((one) => numbers.get(one) ?? [])
  })
  return {
    find: (parcel: ReadParcel, found: Found): void => {
      if (wholes.size === 0) return
      const owner = parcel.owner()
      if (owner === null) return
      for (const query of wholes.get(owner.joined) ?? []) note(found, query, BY.owner)
      const anchors = owner.words.filter(isAnchor).map(listSimilar)
      for (const [place, ones] of anchors.entries()) {
        for (const one of ones) {
          for (const query of rowsByPair.get(pairOf(one, one)) ?? []) note(found, query, BY.owner)
          for (let later = place + 1; later < anchors.length; later++) {
            for (const other of anchors[later] ?? []) {
              for (const query of rowsByPair.get(pairOf(one, other)) ?? []) note(found, query, BY.owner)
            }
          }
        }
      }
    },
  }
}

const isAnchor = (word: string): boolean => word.length >= MIN_ANCHOR && !isForm(word)

/** A number for two words in any order. */
const pairOf = (one: number, other: number): number => Math.min(one, other) * 2 ** 26 + Math.max(one, other)

interface AddressComparison {
  cost: number | null
  isNearNumber: boolean
  leftOut: RowCandidate['leftOut']
  /** The readings that were compared. Null: no readings are similar. */
  streets: { asked: Street; theirs: Street } | null
  /** Neither the name nor the suffix differs. */
  isSameStreet: boolean
  typos: number
}

const NOT_THE_ADDRESS: AddressComparison = {
  cost: null,
  isNearNumber: false,
  leftOut: null,
  streets: null,
  isSameStreet: true,
  typos: 0,
}

/** The best of all readings of both addresses. */
const compareWithParcel = (query: RowQuery, parcel: ReadParcel): AddressComparison => {
  const [asked, theirs] = [query.address, parcel.address]
  if (asked === null || theirs === null) return NOT_THE_ADDRESS
  const number = compareNumbers(asked.number, theirs.number)
  let best = NOT_THE_ADDRESS
  for (const street of asked.streets) {
    for (const other of theirs.streets) {
      const distance = distanceOfNames(street.name, other.name)
      if (distance === null) continue
      if (number !== null) query.seen.number = true
      const rest = compareStreets(street, other)
      if (rest === null) continue
      const place = compareCities(query, street, parcel, other)
      if (place === null) continue
      if (number === null) {
        if (best.cost === null && isNear(asked.number.base, theirs.number.base))
          best = { ...NOT_THE_ADDRESS, isNearNumber: true }
        continue
      }
      const unit = compareUnits(asked.unit, theirs.unit)
      if (unit === null) continue
      const ofStreet = nameCost(distance, Math.min(street.name.length, other.name.length)) + rest
      const cost = ofStreet + number + place + unit
      if (best.cost !== null && best.cost <= cost) continue
      const isOtherSuffix = street.suffix !== other.suffix && street.suffix !== ''
      best = {
        cost,
        isNearNumber: false,
        leftOut: leftOutOf({ name: distance, rest, other: number + place, unit }, street, asked.unit),
        streets: { asked: street, theirs: other },
        isSameStreet: distance === 0 && !isOtherSuffix,
        typos: distance,
      }
    }
  }
  return best
}

/** The part that a list omits from an otherwise equal address. */
const leftOutOf = (
  costs: { name: number; rest: number; other: number; unit: number },
  { suffix, direction, postDirection }: Street,
  unit: string,
): RowCandidate['leftOut'] => {
  if (costs.name + costs.other > 0) return null
  if (costs.rest === 0) return costs.unit > 0 && unit === '' ? 'unit' : null
  return costs.unit === 0 && costs.rest < LEAST_CONTRADICTION && (suffix === '' || direction + postDirection === '')
    ? 'part of the street'
    : null
}

const isNear = (asked: string, theirs: string): boolean =>
  asked !== '' && theirs !== '' && asked.length + theirs.length > 3 && editDistance(asked, theirs, 1) === 1

const PLACE_COST = { otherCity: 0.055, otherZip: 0.055, otherZipAlone: 0.12 } as const

/** Null: they are in different cities. */
const compareCities = (query: RowQuery, street: Street, parcel: ReadParcel, theirStreet: Street): number | null => {
  const theirs = parcel.city || theirStreet.rest.join('')
  const written = street.rest.join('')
  const zip = query.zip === '' || parcel.zip === '' ? 'unknown' : query.zip === parcel.zip ? 'same' : 'other'
  const isWrittenCity = theirs === '' ? query.city === '' : written !== '' && isSameCity(written, theirs)
  const isCityOnly = isWrittenCity && !street.rest.some(isStreetSuffix)
  const words =
    written === '' || isCityOnly || written === theirs || written === query.city ? 0 : costOfWords(street.rest)
  const asked = query.city || (words === 0 ? written : '')
  if (asked === '' || theirs === '') return words + (zip === 'other' ? PLACE_COST.otherZipAlone : 0)
  // The list has the owner in the city column, and the city in the owner column.
  const isSame = isSameCity(asked, theirs) || isWrittenCity || joinPlace(query.row.owner ?? '') === theirs
  if (isSame) return words + (zip === 'other' ? PLACE_COST.otherZip : 0)
  return zip === 'same' ? words + PLACE_COST.otherCity : null
}

const isSameCity = (asked: string, theirs: string): boolean =>
  asked === theirs || (theirs.length >= 5 && editDistance(asked, theirs, 2) <= (theirs.length >= 8 ? 2 : 1))

const rankOf = ({ idWorth, address, owner, isAtPoint }: RowCandidate): number =>
  idWorth > 0
    ? -idWorth
    : Math.min((address ?? 1) - (owner === null ? 0 : 0.1), (owner ?? 1) + 0.1, isAtPoint ? 0.2 : 1)

const routeOf = ({ idWorth, address, isAtPoint }: RowCandidate): keyof RowQuery['dropped'] => {
  if (idWorth > 0) return 'parcel_id'
  if (address !== null) return 'address'
  return isAtPoint ? 'point' : 'owner'
}

const keep = (query: RowQuery, most: number, candidate: RowCandidate): void => {
  const { candidates } = query
  candidates.push(candidate)
  if (candidates.length < 2 * most) return
  candidates.sort((a, b) => rankOf(a) - rankOf(b))
  const best = rankOf(candidates[0] as RowCandidate)
  for (const one of candidates.splice(most)) {
    const isTied = rankOf(one) <= best || (one.leftOut === 'unit' && query.owner === null)
    if (isTied) query.dropped[routeOf(one)]++
  }
}
