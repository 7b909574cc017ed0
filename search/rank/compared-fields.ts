import type { Candidate, EntityCandidate, ParcelCandidate } from '../engine'
import { shortenZip, standardizeWord } from '../query/address'
import { normalizeName, splitAddress, splitWords } from '../query/text'

/** Field weights of the contract. The text score is a weighted mean of similarities, so it never exceeds the highest weight. */
export const WEIGHTS = { name: 3, nameNormalized: 2.5, address: 2, city: 1.5, agent: 1, mailing: 1 } as const
export type RankField = keyof typeof WEIGHTS | 'parcelId'

/** A candidate's field, split into words for comparison. */
export interface ComparedField {
  field: TextField
  weight: number
  /** For sets of fields. */
  bit: number
  words: readonly string[]
}

type TextField = keyof typeof WEIGHTS
const TEXT_FIELDS = Object.keys(WEIGHTS) as TextField[]
const BITS = Object.fromEntries(TEXT_FIELDS.map((field, place) => [field, 1 << place])) as Record<TextField, number>

/** A set of fields, as bits. */
export const fieldBits = (...fields: readonly TextField[]): number =>
  fields.reduce((bits, field) => bits | BITS[field], 0)

const compared = (field: TextField, words: readonly string[]): ComparedField => ({
  field,
  weight: WEIGHTS[field],
  bit: BITS[field],
  words,
})

export const parcelFields = (
  parcel: ParcelCandidate,
  nameNormalized: string,
  address: readonly string[],
): ComparedField[] => [
  compared('name', splitWords(parcel.ownerName ?? '')),
  compared('nameNormalized', nameNormalized.split(' ').filter(Boolean)),
  compared('address', withStandardWords(address)),
  compared('city', placeWords(parcel)),
  compared('mailing', withStandardWords(splitAddress(parcel.ownerMailingAddress ?? ''))),
]

export const entityFields = (entity: EntityCandidate, nameNormalized: string): ComparedField[] => [
  compared('name', splitWords(entity.name)),
  compared('nameNormalized', nameNormalized.split(' ').filter(Boolean)),
  compared('agent', splitWords(entity.registeredAgentName ?? '')),
]

export const fieldsOf = (candidate: Candidate): ComparedField[] =>
  candidate.kind === 'parcel'
    ? parcelFields(candidate, normalizeName(candidate.ownerName ?? ''), splitAddress(candidate.situsAddress ?? ''))
    : entityFields(candidate, normalizeName(candidate.name))

/** The words of the city and the five digits of the ZIP code. */
export const placeWords = ({ situsCity, situsZip }: Pick<ParcelCandidate, 'situsCity' | 'situsZip'>): string[] => [
  ...withStandardWords(splitWords(situsCity ?? '')),
  ...[shortenZip(situsZip ?? '')].filter((zip) => zip !== null),
]

/** The words of an address and, if different, their Publication 28 form. */
const withStandardWords = (words: readonly string[]): string[] => [
  ...new Set([...words, ...words.map(standardizeWord)]),
]
