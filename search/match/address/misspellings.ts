import { editDistance } from '../../query/edit-distance'

/** Whether a word is this name, with one letter wrong at most. */
export const isLike = (word: string, name: string): boolean => word.length > 3 && editDistance(word, name, 1) <= 1

const SUFFIX_NAMES =
  'street avenue road drive lane court place boulevard circle terrace parkway highway square trail loop'.split(' ')
const SHORT_SUFFIXES = 'st ave rd dr ln ct pl cir ter blvd pkwy hwy'.split(' ')

/** Whether a word may be a misspelled suffix: "stret", "avenus", "dt". "sol" and "b" are names. */
export const isMisspelledSuffix = (word: string): boolean =>
  /^\p{L}{2,}$/u.test(word) &&
  ((word.length <= 4 &&
    SHORT_SUFFIXES.some((suffix) => suffix[0] === word[0] && editDistance(word, suffix, 1) === 1)) ||
    (word.length > 3 &&
      SUFFIX_NAMES.some((name) => editDistance(word, name, name.length < 6 ? 1 : 2) <= 2 - Number(name.length < 6))))
