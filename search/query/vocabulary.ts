import { editDistance } from './edit-distance'
import { compareCodePoints } from './text'

/** A word and the number of rows that contain it. */
export interface VocabularyEntry {
  word: string
  count: number
  /** The word is far more often a street than a name. */
  isStreet?: boolean
}

/** An owner of many parcels, by the key of its name (`ownerKey`). */
export interface LargeOwner {
  key: string
  parcels: number
}

/** A known word similar to a misspelled one. */
export interface Neighbour extends VocabularyEntry {
  /** Insertions, deletions, substitutions and swaps of adjacent letters between the two. */
  distance: number
}

export interface Vocabulary {
  readonly size: number
  /** The number of rows with the most frequent word. */
  readonly highestCount: number
  /** The number of rows with a word; 0: none. */
  countOf: (word: string) => number
  /** Whether a word is far more often a street than a name. */
  isStreet: (word: string) => boolean
  /** Whether a longer known word begins with this. */
  beginsWord: (prefix: string) => boolean
  /** The most frequent longer word that begins with this. Null: there is none, or there are too many. */
  findCompletion: (prefix: string) => VocabularyEntry | null
  /** The owners of most parcels whose names begin with a text, with the number of their parcels. */
  findLargeOwners: (beginning: string, limit: number) => LargeOwner[]
  /** The words within `maxDistance` (1 or 2): nearest first, then the most frequent. */
  findNeighbours: (word: string, maxDistance: number, limit: number) => Neighbour[]
}

/** Words are looked up by their first letters, with some of them removed. */
const PREFIX_LENGTH = 7
const MAX_LEFT_OUT = 2
/** Each bucket has the words of about this many remainders. They share only part of a hash. */
const REMAINDERS_A_BUCKET = 2
const REMAINDERS_A_WORD = 29

/** An abbreviation that begins more words means none of them. */
const MAX_COMPLETIONS = 500

/** Words per step of a build: a step takes far less than a millisecond, or a few before the code is warm. */
const WORDS_A_STEP = 50
const BUCKETS_A_STEP = 50_000

/** A vocabulary without large owners. */
export const createVocabulary = (entries: Iterable<VocabularyEntry>): Vocabulary => {
  const sorted = [...entries].sort((a, b) => compareCodePoints(a.word, b.word))
  const building = buildVocabulary(sorted, [])
  for (;;) {
    const step = building.next()
    if (step.done === true) return step.value
  }
}

/**
 * Builds the vocabulary in steps, for callers that must do other work in between; `sorted` is by code point. Similar words are found as in SymSpell
 * (https://github.com/wolfgarbe/SymSpell): if two words are within a distance of 2, their first letters are equal after removing at most two
 * from each. Only hashes of these remainders are stored, and every candidate is measured. 300,000 words take about 60 MB in addition to
 * the words, and 0.1 ms per look-up.
 */
export function* buildVocabulary(
  sorted: readonly VocabularyEntry[],
  sortedOwners: readonly LargeOwner[],
): Generator<undefined, Vocabulary, void> {
  const words: string[] = []
  const counts = new Float64Array(sorted.length)
  const streets = new Uint8Array(sorted.length)
  const letters = new Uint32Array(sorted.length)
  let highestCount = 0

  // The number of words in each bucket.
  const buckets = 2 ** Math.ceil(Math.log2(1 + (sorted.length * REMAINDERS_A_WORD) / REMAINDERS_A_BUCKET))
  const ends = new Uint32Array(buckets + 1)
  for (const [index, { word, count, isStreet }] of sorted.entries()) {
    if (index % WORDS_A_STEP === 0) yield
    words.push(word)
    counts[index] = count
    highestCount = Math.max(highestCount, count)
    streets[index] = isStreet ? 1 : 0
    letters[index] = lettersOf(word)
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

  // Buckets are filled from the end, so the index ends at each bucket's beginning.
  const indexes = new Uint32Array(total)
  const starts = ends
  for (const [index, word] of words.entries()) {
    if (index % WORDS_A_STEP === 0) yield
    eachRemainder(word, MAX_LEFT_OUT, (hash) => {
      const bucket = hash & (buckets - 1)
      const place = (starts[bucket] ?? 0) - 1
      starts[bucket] = place
      indexes[place] = index
    })
  }

  const findPlace = (word: string): number => findFirst(words.length, (place) => words[place] ?? '', word)

  /** The last look-up that has seen each word. */
  const seen = new Uint32Array(words.length)
  let lookup = 0

  const listWithin = (word: string, distance: number): (Neighbour & { index: number })[] => {
    lookup = (lookup + 1) >>> 0
    if (lookup === 0) {
      seen.fill(0)
      lookup = 1
    }
    const neighbours: (Neighbour & { index: number })[] = []
    const own = lettersOf(word)
    eachRemainder(word, distance, (hash) => {
      const bucket = hash & (buckets - 1)
      const end = starts[bucket + 1] ?? 0
      for (let place = starts[bucket] ?? 0; place < end; place++) {
        const index = indexes[place] ?? 0
        if (seen[index] === lookup) continue
        seen[index] = lookup
        // One edit removes at most one letter and adds another.
        if (countBits((letters[index] ?? 0) ^ own) > 2 * distance) continue
        const neighbour = words[index] ?? ''
        const measured = editDistance(word, neighbour, distance)
        if (measured <= distance) {
          neighbours.push({ word: neighbour, distance: measured, count: counts[index] ?? 0, index })
        }
      }
    })
    return neighbours.sort((a, b) => a.distance - b.distance || b.count - a.count || a.index - b.index)
  }

  return {
    size: words.length,
    highestCount,
    countOf: (word) => {
      const place = findPlace(word)
      return words[place] === word ? (counts[place] ?? 0) : 0
    },
    isStreet: (word) => {
      const place = findPlace(word)
      return words[place] === word && streets[place] === 1
    },
    beginsWord: (prefix) => {
      const place = findPlace(prefix)
      return words[words[place] === prefix ? place + 1 : place]?.startsWith(prefix) === true
    },
    findCompletion: (prefix) => {
      const first = findPlace(prefix)
      let completion: VocabularyEntry | null = null
      for (let place = first; words[place]?.startsWith(prefix) === true; place++) {
        if (place - first >= MAX_COMPLETIONS) return null
        const count = counts[place] ?? 0
        const word = words[place] as string
        if (word.length > prefix.length && count > (completion?.count ?? 0)) completion = { word, count }
      }
      return completion
    },
    findLargeOwners: (beginning, limit) => {
      const found: LargeOwner[] = []
      for (
        let place = findFirst(sortedOwners.length, (at) => sortedOwners[at]?.key ?? '', beginning);
        sortedOwners[place]?.key.startsWith(beginning) === true;
        place++
      ) {
        found.push(sortedOwners[place] as LargeOwner)
      }
      return found.sort((a, b) => b.parcels - a.parcels).slice(0, limit)
    },
    findNeighbours: (word, maxDistance, limit) => {
      // Short words have hundreds of neighbors at distance 2, and enough at 1.
      const nearest = listWithin(word, 1)
      const neighbours = maxDistance === 1 || nearest.length >= limit ? nearest : listWithin(word, maxDistance)
      return neighbours.slice(0, limit)
    },
  }
}

/** The index of the first of the sorted texts that does not sort before this one. */
const findFirst = (length: number, textAt: (place: number) => string, text: string): number => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareCodePoints(textAt(middle), text) < 0) low = middle + 1
    else high = middle
  }
  return low
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
