import { editDistance } from './edit-distance'

/** Words that differ little from a given one. */
export interface SimilarWords {
  /** Every word within `distance` (1 or 2), by its place in the list, in no particular order. */
  listWithin: (word: string, distance: number) => { place: number; distance: number }[]
}

/** Words are looked up by their first letters, with some of them removed. */
const PREFIX_LENGTH = 7
const MAX_LEFT_OUT = 2
/** Each bucket has the words of about this many remainders. They share only part of a hash. */
const REMAINDERS_A_BUCKET = 2
const REMAINDERS_A_WORD = 29

/** Words per step of a build: a step takes far less than a millisecond, or a few before the code is warm. */
const WORDS_A_STEP = 50
const BUCKETS_A_STEP = 50_000

/**
 * Indexes words as SymSpell does (https://github.com/wolfgarbe/SymSpell), in steps, for callers that must do other work in between: if two
 * words are within a distance of 2, their first letters are equal after removing at most two from each. Only hashes of these remainders
 * are stored, and every candidate is measured. 300,000 words take about 60 MB in addition to the words, and 0.1 ms per look-up.
 */
export function* indexSimilarWords(words: readonly string[]): Generator<undefined, SimilarWords, void> {
  const { letters, buckets, starts, places } = yield* fillBuckets(words)

  /** The last look-up that has seen each word. */
  const seen = new Uint32Array(words.length)
  let lookup = 0

  return {
    listWithin: (word, distance) => {
      lookup = (lookup + 1) >>> 0
      if (lookup === 0) {
        seen.fill(0)
        lookup = 1
      }
      const found: { place: number; distance: number }[] = []
      const own = lettersOf(word)
      eachRemainder(word, distance, (hash) => {
        const bucket = hash & (buckets - 1)
        const end = starts[bucket + 1] ?? 0
        for (let at = starts[bucket] ?? 0; at < end; at++) {
          const place = places[at] ?? 0
          if (seen[place] === lookup) continue
          seen[place] = lookup
          // One edit removes at most one letter and adds another.
          if (countBits((letters[place] ?? 0) ^ own) > 2 * distance) continue
          const measured = editDistance(word, words[place] ?? '', distance)
          if (measured <= distance) found.push({ place, distance: measured })
        }
      })
      return found
    },
  }
}

interface Buckets {
  /** The letters of each word (`lettersOf`). */
  letters: Uint32Array
  /** The number of buckets, a power of two. */
  buckets: number
  /** Where each bucket starts in `places`, and the end of the last one. */
  starts: Uint32Array
  places: Uint32Array
}

/** Sorts the remainders of all words into buckets by their hash, with a counting sort. */
function* fillBuckets(words: readonly string[]): Generator<undefined, Buckets, void> {
  const letters = new Uint32Array(words.length)

  // The number of words in each bucket.
  const buckets = 2 ** Math.ceil(Math.log2(1 + (words.length * REMAINDERS_A_WORD) / REMAINDERS_A_BUCKET))
  const ends = new Uint32Array(buckets + 1)
  for (const [place, word] of words.entries()) {
    if (place % WORDS_A_STEP === 0) yield
    letters[place] = lettersOf(word)
    eachRemainder(word, MAX_LEFT_OUT, (hash) => {
      const bucket = hash & (buckets - 1)
      ends[bucket] = (ends[bucket] ?? 0) + 1
    })
  }

  // The end of each bucket.
  let total = 0
  for (let bucket = 0; bucket <= buckets; bucket++) {
    if (bucket % BUCKETS_A_STEP === 0) yield
    total += ends[bucket] ?? 0
    ends[bucket] = total
  }

  // Buckets are filled from the end, so `ends` becomes `starts`.
  const places = new Uint32Array(total)
  const starts = ends
  for (const [place, word] of words.entries()) {
    if (place % WORDS_A_STEP === 0) yield
    eachRemainder(word, MAX_LEFT_OUT, (hash) => {
      const bucket = hash & (buckets - 1)
      const at = (starts[bucket] ?? 0) - 1
      starts[bucket] = at
      places[at] = place
    })
  }
  return { letters, buckets, starts, places }
}

/** Hashes of a word's first letters, of these without one letter and, when `most` is 2, without any two. */
const eachRemainder = (word: string, most: number, see: (hash: number) => void): void => {
  const length = Math.min(word.length, PREFIX_LENGTH)
  see(hashWithout(word, length, -1, -1))
  for (let first = 0; first < length; first++) {
    see(hashWithout(word, length, first, -1))
    if (most < 2) continue
    for (let second = first + 1; second < length; second++) see(hashWithout(word, length, first, second))
  }
}

/** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), with the higher bits mixed into the lower ones. */
const hashWithout = (word: string, length: number, first: number, second: number): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < length; at++) {
    if (at !== first && at !== second) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  }
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
}

/** A bit per letter in the word; letters with codes 32 apart share one. */
const lettersOf = (word: string): number => {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters >>> 0
}

const countBits = (bits: number): number => {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}
