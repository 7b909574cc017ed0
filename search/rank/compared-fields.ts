import type { Candidate, EntityCandidate, ParcelCandidate } from '../engine'
import { standardizeWord } from '../query/address'
import { normalizeName, splitAddress, splitWords } from '../query/text'

/** Field weights of the contract. The text score is a weighted mean of similarities, so it never exceeds the highest weight. */
export const WEIGHTS = { name: 3, nameNormalized: 2.5, address: 2, city: 1.5, agent: 1, mailing: 1 } as const
export type RankField = keyof typeof WEIGHTS | 'parcelId'

/** A candidate's field, split into words for comparison. */
export interface ComparedField {
  field: RankField
  weight: number
  words: readonly string[]
}

export const parcelFields = (
  parcel: ParcelCandidate,
  nameNormalized: string,
  address: readonly string[],
): ComparedField[] => [
  { field: 'name', weight: WEIGHTS.name, words: splitWords(parcel.ownerName ?? '') },
  { field: 'nameNormalized', weight: WEIGHTS.nameNormalized, words: nameNormalized.split(' ').filter(Boolean) },
  { field: 'address', weight: WEIGHTS.address, words: withStandardWords(address) },
  { field: 'city', weight: WEIGHTS.city, words: placeWords(parcel) },
  {
    field: 'mailing',
    weight: WEIGHTS.mailing,
    words: withStandardWords(splitAddress(parcel.ownerMailingAddress ?? '')),
  },
]

export const entityFields = (entity: EntityCandidate, nameNormalized: string): ComparedField[] => [
  { field: 'name', weight: WEIGHTS.name, words: splitWords(entity.name) },
  { field: 'nameNormalized', weight: WEIGHTS.nameNormalized, words: nameNormalized.split(' ').filter(Boolean) },
  { field: 'agent', weight: WEIGHTS.agent, words: splitWords(entity.registeredAgentName ?? '') },
]

export const fieldsOf = (candidate: Candidate): ComparedField[] =>
  candidate.kind === 'parcel'
    ? parcelFields(candidate, normalizeName(candidate.ownerName ?? ''), splitAddress(candidate.situsAddress ?? ''))
    : entityFields(candidate, normalizeName(candidate.name))

/** The words of the city and the five digits of the ZIP code. */
export const placeWords = ({ situsCity, situsZip }: Pick<ParcelCandidate, 'situsCity' | 'situsZip'>): string[] => [
  ...withStandardWords(splitWords(situsCity ?? '')),
  ...(/^\d{5}/.exec(situsZip ?? '') ?? []),
]

/** The words of an address and, if different, their Publication 28 form. */
const withStandardWords = (words: readonly string[]): string[] => [
  ...new Set([...words, ...words.map(standardizeWord)]),
]
