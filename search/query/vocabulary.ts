import { indexSimilarWords } from './similar-words'
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
export interface Neighbor extends VocabularyEntry {
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
  /**
   * The most frequent longer word that begins with this, and the most frequent one that is far more often a street than a name, if that is
   * another. Empty: there is none, or there are too many.
   */
  findCompletions: (prefix: string) => VocabularyEntry[]
  /** The owners of most parcels whose names begin with a text, with the number of their parcels. */
  findLargeOwners: (beginning: string, limit: number) => LargeOwner[]
  /** The words within `maxDistance` (1 or 2): nearest first, then the most frequent. */
  findNeighbors: (word: string, maxDistance: number, limit: number) => Neighbor[]
}

/** An abbreviation that begins more words means none of them. */
const MAX_COMPLETIONS = 500

/** Entries per step of a build: a step takes less than a millisecond. */
const ENTRIES_A_STEP = 5_000

/** A vocabulary without large owners. */
export const createVocabulary = (entries: Iterable<VocabularyEntry>): Vocabulary => {
  const sorted = [...entries].sort((a, b) => compareCodePoints(a.word, b.word))
  const building = buildVocabulary(sorted, [])
  for (;;) {
    const step = building.next()
    if (step.done === true) return step.value
  }
}

/** Builds a vocabulary in steps, for callers that must do other work in between. `sorted` is by code point. */
export function* buildVocabulary(
  sorted: readonly VocabularyEntry[],
  sortedOwners: readonly LargeOwner[],
): Generator<undefined, Vocabulary, void> {
  const { words, counts, streets, highestCount } = yield* toColumns(sorted)
  const similar = yield* indexSimilarWords(words)

  const findPlace = (word: string): number => findFirst(words.length, (place) => words[place] ?? '', word)
  const countAt = (place: number): number => counts[place] ?? 0

  /** The nearest words first, then the most frequent. */
  const listNeighbors = (word: string, distance: number): Neighbor[] =>
    similar
      .listWithin(word, distance)
      .sort((a, b) => a.distance - b.distance || countAt(b.place) - countAt(a.place) || a.place - b.place)
      .map(({ place, distance: measured }) => ({ word: words[place] ?? '', distance: measured, count: countAt(place) }))

  return {
    size: words.length,
    highestCount,
    countOf: (word) => {
      const place = findPlace(word)
      return words[place] === word ? countAt(place) : 0
    },
    isStreet: (word) => {
      const place = findPlace(word)
      return words[place] === word && streets[place] === 1
    },
    beginsWord: (prefix) => {
      const place = findPlace(prefix)
      return words[words[place] === prefix ? place + 1 : place]?.startsWith(prefix) === true
    },
    findCompletions: (prefix) => {
      const first = findPlace(prefix)
      let any: VocabularyEntry | null = null
      let street: VocabularyEntry | null = null
      for (let place = first; words[place]?.startsWith(prefix) === true; place++) {
        if (place - first >= MAX_COMPLETIONS) return []
        const entry = { word: words[place] as string, count: countAt(place) }
        if (entry.word.length === prefix.length) continue
        if (entry.count > (any?.count ?? 0)) any = entry
        if (streets[place] === 1 && entry.count > (street?.count ?? 0)) street = entry
      }
      return [any, street === any ? null : street].filter((entry) => entry !== null)
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
    findNeighbors: (word, maxDistance, limit) => {
      // Short words have hundreds of neighbors at distance 2, and enough at 1.
      const nearest = listNeighbors(word, 1)
      const neighbors = maxDistance === 1 || nearest.length >= limit ? nearest : listNeighbors(word, maxDistance)
      return neighbors.slice(0, limit)
    },
  }
}

/** The entries as one array per property, which take less memory. */
function* toColumns(sorted: readonly VocabularyEntry[]) {
  const words: string[] = []
  const counts = new Float64Array(sorted.length)
  const streets = new Uint8Array(sorted.length)
  let highestCount = 0
  for (const [place, { word, count, isStreet }] of sorted.entries()) {
    if (place % ENTRIES_A_STEP === 0) yield
    words.push(word)
    counts[place] = count
    streets[place] = isStreet ? 1 : 0
    highestCount = Math.max(highestCount, count)
  }
  return { words, counts, streets, highestCount }
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
