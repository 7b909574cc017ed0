import type { Candidate } from '../engine'
import { listNormalizations, type Normalization } from '../query/normalizations'
import type { SearchRequest } from '../query/query'
import { createSpellings, type Spelling } from '../query/spellings'
import { type FieldMatch, matchWords } from './compare-text'
import { fieldsOf } from './compared-fields'
import { compareId, ID_WEIGHT } from './rank'

/** Where a word of the query was found. */
export interface WordMatch extends FieldMatch {
  word: string
  /** False: the word is still being typed. */
  done: boolean
}

/** The spelling of the query that gave a candidate its text score, word by word. */
export interface Explanation {
  words: WordMatch[]
  normalizations: readonly Normalization[]
}

/** Returns a function that repeats in detail how `rankCandidates` scored one candidate of the same request. */
export const createExplainer = (request: SearchRequest): ((candidate: Candidate) => Explanation) => {
  const spellings = createSpellings(request)
  const known = new Map<Spelling, readonly Normalization[]>()
  const normalizationsOf = (spelling: Spelling) => {
    const normalizations = known.get(spelling) ?? listNormalizations(request.text, spelling.words)
    known.set(spelling, normalizations)
    return normalizations
  }

  return (candidate) => {
    const found = matchWords(spellings, fieldsOf(candidate).fields)
    const similarity = candidate.kind === 'parcel' ? compareId(request, candidate) : 0
    if (similarity * ID_WEIGHT > (found?.text ?? 0)) {
      const id = { word: request.text, field: 'parcelId', similarity, weight: ID_WEIGHT, done: true } as const
      return { words: [id], normalizations: [] }
    }
    const spelling = found?.spelling ?? request
    const words = spelling.words.map((word, place, { length }) => ({
      word,
      ...(found?.matches[place] ?? NOWHERE),
      done: spelling.lastWordDone || place < length - 1,
    }))
    return { words, normalizations: found === null ? [] : normalizationsOf(found.spelling) }
  }
}

const NOWHERE: FieldMatch = { field: null, similarity: 0, weight: 0 }
