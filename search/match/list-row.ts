import { isPoBox, isStreetSuffix, isZipCode } from '../query/address'
import { looksLikeId } from '../query/parcel-id'
import { findStateByCode, findStateByName } from '../query/states'
import { splitAddress } from '../query/text'
import { looksLikeAddress } from './address/street-address'

/** The fields of a parcel that a list can have as columns. */
export const LIST_FIELDS = [
  'parcel_id',
  'address',
  'unit',
  'city',
  'state',
  'zip',
  'county',
  'source',
  'owner',
  'lon',
  'lat',
] as const
export type ListField = (typeof LIST_FIELDS)[number]

/** One row of a list: the texts of its columns. */
export type ListRow = Partial<Record<ListField, string>>

/** Whether a text can be the value of a field. Fields that are not listed accept any text. */
const FITS: Partial<Record<ListField, (text: string) => boolean>> = {
  parcel_id: (text) => looksLikeId(text),
  address: (text) =>
    (looksLikeAddress(text) && !isCompany(text)) || isStreetWithoutNumber(text) || isPoBox(splitAddress(text)),
  city: (text) => !/\d/.test(text) && findStateByCode(text.trim()) === null,
  state: (text) => readState(text) !== null,
  zip: (text) => readZip(text) !== null,
  owner: (text) => /\p{L}{2}/u.test(text) && (!looksLikeAddress(text) || isCompany(text)),
}

/** Fields whose values are often swapped. Those that the fewest texts fit are first. */
const SWAPPED = ['state', 'zip', 'address', 'parcel_id', 'city', 'owner'] as const

/** "173 Charles Street LLC" is an owner. */
const isCompany = (text: string): boolean =>
  /\b(?:l\.?\s?l\.?\s?c|inc|corp|corporation|company|co|ltd|l\.?\s?p|llp|trust|trustees?|associates|partners|properties|realty|condominiums?|assoc|assn|association)\b\.?/i.test(
    text,
  )

const isStreetWithoutNumber = (text: string): boolean => {
  const words = splitAddress(text)
  return words.length > 1 && words.slice(1).some(isStreetSuffix)
}

/** The five digits of a ZIP code. A spreadsheet drops the first zero: "2139" is "02139". Null: it is not a ZIP code. */
export const readZip = (text: string): string | null => {
  const bare = text.trim().replace(/\.0$/, '')
  if (isZipCode(bare)) return bare.slice(0, 5)
  if (/^\d{9}$/.test(bare)) return bare.slice(0, 5)
  return /^\d{4}$/.test(bare) ? `0${bare}` : null
}

export const readState = (text: string): string | null => {
  const bare = text.trim().replaceAll('.', '')
  return bare.length === 2 ? findStateByCode(bare) : findStateByName(bare.replace(/\s+/g, ' '))
}

/** Empty fields that can receive a misplaced value. Almost any text can be an owner, and many can be an id. */
const TAKEN_IF_EMPTY: ReadonlySet<ListField> = new Set(['address', 'city', 'state', 'zip'])

/**
 * Puts the values of a row into the right columns. Two values are swapped if the first does not fit its own column and each fits the
 * other's. Otherwise, a value moves to an empty column that it fits.
 */
export const untangleRow = (row: ListRow): ListRow => {
  const fits = (field: ListField, value: string) => FITS[field]?.(value) !== false
  let untangled = row
  for (const field of SWAPPED) {
    const value = untangled[field]
    if (value === undefined || fits(field, value)) continue
    const possible = SWAPPED.filter((candidate) => candidate !== field && fits(candidate, value))
    const exchanged = possible.find((candidate) => {
      const theirs = untangled[candidate]
      return theirs !== undefined && fits(field, theirs)
    })
    const other =
      exchanged ?? possible.find((candidate) => untangled[candidate] === undefined && TAKEN_IF_EMPTY.has(candidate))
    if (other === undefined) continue
    const { [field]: _, [other]: theirs, ...others } = untangled
    untangled = { ...others, [other]: value, ...(theirs === undefined ? {} : { [field]: theirs }) }
  }
  return untangled
}

export interface Point {
  lon: number
  lat: number
}

/** The point of a row. Null: it has none. Swapped coordinates are corrected if only that order is possible. */
export const readPoint = ({ lon, lat }: ListRow): Point | null | 'invalid' => {
  if (lon === undefined && lat === undefined) return null
  const [x, y] = [readNumber(lon), readNumber(lat)]
  if (x === null || y === null) return 'invalid'
  if (Math.abs(y) > 90 && Math.abs(x) <= 90 && Math.abs(y) <= 180) return { lon: y, lat: x }
  return Math.abs(x) <= 180 && Math.abs(y) <= 90 ? { lon: x, lat: y } : 'invalid'
}

const readNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : null
