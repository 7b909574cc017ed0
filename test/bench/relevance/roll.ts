import type { ParcelInput } from '../../../drizzle/records'
import { DIRECTIONS, SUFFIXES } from './spellings'

/** A record as people know it: in lower case, without the trailing "&" of a roll. A company has only a name and a key. */
export interface Entry {
  id: string
  /** The id in lower case, and without punctuation. */
  idText: string
  idKey: string
  name: string
  mailing: string
  address: string
  city: string
  state: string
  zip: string
  /** The parts of the address; empty when it has none. `street` includes direction and suffix, but no number and no unit. Vacant land has only a street. */
  number: string
  street: string
  direction: string
  streetName: string
  suffix: string
  unit: string
  lat: number
  lon: number
}

/** The records of one county, with the lookups that show whether a query means only one of them. */
export interface Roll {
  parcels: readonly Entry[]
  companies: readonly Entry[]
  addresses: ReadonlySet<string>
  names: ReadonlySet<string>
  idKeys: ReadonlySet<string>
  /** Names by their first two words, in alphabetical order: "SMITH JOHN A" and "JOHN SMITH" are together. */
  namesByPair: ReadonlyMap<string, ReadonlySet<string>>
  /** All words of names, addresses and cities. */
  words: ReadonlySet<string>
}

export const readRoll = (records: {
  parcels: readonly ParcelInput[]
  companies: readonly { registryNumber: string; name: string }[]
}): Roll => {
  const parcels = records.parcels.map(readEntry)
  const companies = records.companies.map(({ registryNumber, name }) =>
    readEntry({ sourceParcelId: registryNumber, ownerName: name }),
  )
  const namesByPair = new Map<string, Set<string>>()
  for (const { name } of parcels) {
    const pair = pairOf(name)
    const names = namesByPair.get(pair)
    if (names === undefined) namesByPair.set(pair, new Set([name]))
    else names.add(name)
  }
  const texts = parcels.flatMap(({ name, address, city, mailing }) => [name, address, city, mailing])
  return {
    parcels,
    companies,
    addresses: new Set(parcels.map(({ address }) => address)),
    names: new Set([...parcels, ...companies].map(({ name }) => name)),
    idKeys: new Set(parcels.map(({ idKey }) => idKey)),
    namesByPair,
    words: new Set([...texts, ...companies.map(({ name }) => name)].flatMap(wordsOf)),
  }
}

export const pairOf = (name: string): string => wordsOf(name).slice(0, 2).toSorted().join(' ')

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

export const keyOf = (text: string): string => wordsOf(text).join('')

const clean = (text: string | null | undefined): string =>
  (text ?? '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/\s*&\s*$/, '')
    .trim()

const readEntry = (parcel: ParcelInput): Entry => {
  const address = clean(parcel.situsAddress)
  return {
    id: parcel.sourceParcelId,
    idText: clean(parcel.sourceParcelId),
    idKey: keyOf(parcel.sourceParcelId),
    name: clean(parcel.ownerName),
    mailing: clean(parcel.ownerMailingAddress),
    address,
    city: clean(parcel.situsCity),
    state: clean(parcel.situsState),
    zip: clean(parcel.situsZip),
    ...readAddress(address),
    lat: parcel.bbox?.[1] ?? 0,
    lon: parcel.bbox?.[0] ?? 0,
  }
}

const UNIT = /\s(?:#\s?|(?:apt|unit|ste|suite)\s#?)(\w+)$/

const readAddress = (address: string) => {
  const unit = UNIT.exec(address)
  const base = unit === null ? address : address.slice(0, unit.index)
  const number = /^\d+(?:-\d+)?[a-z]?(?= )/.exec(base)?.[0] ?? ''
  const street = number === '' ? base : base.slice(number.length + 1)
  const words = street.split(' ')
  const direction = words.length > 2 && DIRECTIONS[words[0] ?? ''] !== undefined ? (words.shift() ?? '') : ''
  const suffix = words.length > 1 && SUFFIXES[words.at(-1) ?? ''] !== undefined ? (words.pop() ?? '') : ''
  return { number, street, direction, streetName: words.join(' '), suffix, unit: unit?.[1] ?? '' }
}
