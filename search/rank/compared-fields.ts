import type { Candidate, EntityCandidate, ParcelCandidate } from '../engine'
import { shortenZip, standardizeWord } from '../query/address'
import { splitAddress, splitNameBothWays, splitWords } from '../query/text'

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
/** A candidate has at most this many fields. */
export const MAX_FIELDS = TEXT_FIELDS.length
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

/** The fields of a candidate, and the words of its name and its address as written. */
interface ComparedFields {
  name: readonly string[]
  nameNormalized: readonly string[]
  address: readonly string[]
  fields: ComparedField[]
}

/** Equal word lists share one object, so that they are compared once. */
export const parcelFields = (parcel: ParcelCandidate): ComparedFields => {
  const [name, nameNormalized] = splitNameBothWays(parcel.ownerName ?? '')
  const address = splitAddress(parcel.situsAddress ?? '')
  const fields = [
    compared('name', name),
    compared('nameNormalized', nameNormalized),
    compared('address', withStandardWords(address)),
    compared('city', placeWords(parcel)),
    compared('mailing', withStandardWords(splitAddress(parcel.ownerMailingAddress ?? ''))),
  ]
  return { name, nameNormalized, address, fields }
}

export const entityFields = (entity: EntityCandidate): ComparedFields => {
  const [name, nameNormalized] = splitNameBothWays(entity.name)
  const fields = [
    compared('name', name),
    compared('nameNormalized', nameNormalized),
    compared('agent', splitWords(entity.registeredAgentName ?? '')),
  ]
  return { name, nameNormalized, address: [], fields }
}

export const fieldsOf = (candidate: Candidate): ComparedFields =>
  candidate.kind === 'parcel' ? parcelFields(candidate) : entityFields(candidate)

/** The words of the city and the five digits of the ZIP code. */
export const placeWords = ({
  situsCity,
  situsZip,
}: Pick<ParcelCandidate, 'situsCity' | 'situsZip'>): readonly string[] => {
  const words = withStandardWords(splitWords(situsCity ?? ''))
  const zip = shortenZip(situsZip ?? '')
  return zip === null ? words : [...words, zip]
}

/** The words of an address and, if different, their Publication 28 form. */
const withStandardWords = (words: readonly string[]): readonly string[] => {
  let others: string[] | null = null
  for (const word of words) {
    const standard = standardizeWord(word)
    if (standard !== word && !words.includes(standard)) {
      others ??= []
      others.push(standard)
    }
  }
  return others === null ? words : [...words, ...others]
}
