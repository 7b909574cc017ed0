import type { Candidate } from '../engine'
import { standardizeWord } from '../query/address'
import type { SearchRequest } from '../query/query'
import { splitAddress } from '../query/text'
import type { Wording } from '../query/wording'
import type { Ranked } from './ranked'

interface Place {
  lat: number
  lon: number
}

/**
 * For an intersection, the closeness of each parcel on one of its streets is how near the next parcel of the other street is, so that the lots at the
 * corner come first. That of other hits, and of parcels without a place, is 0.
 */
export const preferCorner = ({ otherWordings }: SearchRequest, ranked: readonly Ranked[]): readonly Ranked[] => {
  const [first, second] = otherWordings.filter(({ isStreetOfCrossing }) => isStreetOfCrossing === true)
  if (first === undefined || second === undefined) return ranked
  const places = [first, second].map((street) => ranked.map(({ candidate }) => placeOn(candidate, street)))
  const listPlaces = (street: number) =>
    Float64Array.from((places[street] ?? []).flatMap((place) => (place === null ? [] : [place.lat, place.lon])))
  const [ofFirst, ofSecond] = [listPlaces(0), listPlaces(1)]
  return ranked.map((one, at) => {
    const [onFirst, onSecond] = [places[0]?.[at] ?? null, places[1]?.[at] ?? null]
    const nearness = Math.max(nearnessOf(onFirst, ofSecond), nearnessOf(onSecond, ofFirst))
    return { ...one, closeness: nearness }
  })
}

/** Null: the parcel is not on this street, or has no place. */
const placeOn = (candidate: Candidate, { addressWords }: Wording): Place | null => {
  if (candidate.kind === 'entity' || candidate.lat === null || candidate.lon === null) return null
  const words = splitAddress(candidate.situsAddress ?? '').map(standardizeWord)
  return addressWords.every((word) => words.includes(standardizeWord(word)))
    ? { lat: candidate.lat, lon: candidate.lon }
    : null
}

/** 1 at one of the places, and 0 infinitely far from them. `others` has latitudes and longitudes in turn: deep searches compare a million pairs. */
const nearnessOf = (place: Place | null, others: Float64Array): number => {
  if (place === null) return 0
  const width = Math.cos(place.lat * (Math.PI / 180))
  let least = Number.POSITIVE_INFINITY
  for (let at = 0; at < others.length; at += 2) {
    const y = (others[at] ?? 0) - place.lat
    const x = ((others[at + 1] ?? 0) - place.lon) * width
    const squared = x * x + y * y
    if (squared < least) least = squared
  }
  return 1 / (1 + Math.sqrt(least))
}
