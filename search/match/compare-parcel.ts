import { isStreetSuffix } from '../query/address'
import { editDistance } from '../query/edit-distance'
import type { Street } from './address/street'
import {
  compareNumbers,
  compareStreets,
  compareUnits,
  costOfWords,
  distanceOfNames,
  LEAST_CONTRADICTION,
  nameCost,
} from './compare-addresses'
import { isSameCity, joinPlace } from './places'
import type { ReadParcel } from './read-parcel'
import type { RowCandidate, RowQuery } from './row-query'

export interface AddressComparison {
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
export const compareWithParcel = (query: RowQuery, parcel: ReadParcel): AddressComparison => {
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

const PLACE_COST = { cityTypo: 0.02, otherCity: 0.055, otherZip: 0.055, otherZipAlone: 0.12 } as const

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
  const typo = asked === theirs || isWrittenCity || !isSameCity(asked, theirs) ? 0 : PLACE_COST.cityTypo
  if (isSame) return words + typo + (zip === 'other' ? PLACE_COST.otherZip : 0)
  return zip === 'same' ? words + PLACE_COST.otherCity : null
}
