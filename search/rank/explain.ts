import type { Candidate } from '../engine'
import { listNormalizations, type Normalization, type SearchRequest } from '../query/query'
import { createReadings, type Reading } from '../query/readings'
import { type FieldMatch, matchWords } from './compare-text'
import { fieldsOf } from './compared-fields'
import { compareId, ID_WEIGHT } from './rank'

/** Where a word of the query was found. */
export interface WordMatch extends FieldMatch {
  word: string
  /** False: the word is still being typed. */
  done: boolean
}

/** The reading of the query that gave a candidate its text score, word by word. */
export interface Explanation {
  words: WordMatch[]
  normalizations: readonly Normalization[]
}

/** Returns a function that repeats in detail how `rankCandidates` scored one candidate of the same request. */
export const createExplainer = (request: SearchRequest): ((candidate: Candidate) => Explanation) => {
  const readings = createReadings(request)
  const known = new Map<Reading, readonly Normalization[]>()
  const normalizationsOf = (reading: Reading) => {
    const normalizations = known.get(reading) ?? listNormalizations(request.text, reading.spelling)
    known.set(reading, normalizations)
    return normalizations
  }

  return (candidate) => {
    const found = matchWords(readings, fieldsOf(candidate))
    const similarity = candidate.kind === 'parcel' ? compareId(request, candidate) : 0
    if (similarity * ID_WEIGHT > (found?.text ?? 0)) {
      const id = { word: request.text, field: 'parcelId', similarity, weight: ID_WEIGHT, done: true } as const
      return { words: [id], normalizations: [] }
    }
    const { spelling, lastWordDone } = found?.reading ?? { spelling: request.words, lastWordDone: request.lastWordDone }
    const words = spelling.map((word, place, { length }) => ({
      word,
      ...(found?.matches[place] ?? NOWHERE),
      done: lastWordDone || place < length - 1,
    }))
    return { words, normalizations: found === null ? [] : normalizationsOf(found.reading) }
  }
}

const NOWHERE: FieldMatch = { field: null, similarity: 0, weight: 0 }
