import { eachTrigram } from './trigrams'

/** A word that a misspelled one may stand for. */
export interface Neighbour {
  word: string
  /** Insertions, deletions, substitutions and swaps of neighbours that lie between the two. */
  distance: number
  count: number
}

export interface Vocabulary {
  readonly size: number
  /** In how many rows a word is; 0: in none. */
  countOf: (word: string) => number
  /** Whether some longer word begins with this. */
  beginsWord: (prefix: string) => boolean
  /** The words within `maxDistance`, nearest first, then those in most rows. */
  findNeighbours: (word: string, maxDistance: number, limit: number) => Neighbour[]
}

const BIGRAMS = 64 * 64

/** Words between two turns of the event loop while a vocabulary is built: some milliseconds of work. */
const STEP = 5_000

/**
 * Words with their frequencies. Neighbours are found by the pairs of letters that two words share (each edit spoils at most three of
 * them), within the lengths that an edit distance allows; only what is left is measured. 29,000 words take a few
 * hundredths of a millisecond a look-up.
 */
export const createVocabulary = (entries: Iterable<{ word: string; count: number }>): Vocabulary => {
  const building = buildVocabulary(
    [...entries].sort((a, b) => a.word.length - b.word.length || (a.word < b.word ? -1 : 1)),
  )
  for (;;) {
    const step = building.next()
    if (step.done === true) return step.value
  }
}

/**
 * The same in steps, for who has other things to do between them: 300,000 words take most of a second. `sorted`: by length, so that the
 * words of the lengths in question are one slice of every list, then by code unit.
 */
export function* buildVocabulary(
  sorted: readonly { word: string; count: number }[],
): Generator<undefined, Vocabulary, void> {
  const words: string[] = []
  const counts = new Float64Array(sorted.length)
  const indexByWord = new Map<string, number>()
  const firstOfLength: number[] = []
  // Two passes: how long each list is, then the lists themselves, in one array.
  const ends = new Uint32Array(BIGRAMS + 1)
  for (const [index, { word, count }] of sorted.entries()) {
    if (index % STEP === STEP - 1) yield
    words.push(word)
    counts[index] = count
    indexByWord.set(word, index)
    firstOfLength[word.length] ??= index
    for (const bigram of bigramsOf(word)) ends[bigram + 1] = (ends[bigram + 1] ?? 0) + 1
  }
  for (let bigram = 0; bigram < BIGRAMS; bigram++) ends[bigram + 1] = (ends[bigram + 1] ?? 0) + (ends[bigram] ?? 0)
  const starts = ends.slice(0, BIGRAMS)
  const filled = starts.slice()
  const lists = new Uint32Array(ends[BIGRAMS] ?? 0)
  for (const [index, word] of words.entries()) {
    if (index % STEP === STEP - 1) yield
    for (const bigram of bigramsOf(word)) {
      lists[filled[bigram] ?? 0] = index
      filled[bigram] = (filled[bigram] ?? 0) + 1
    }
  }
  const shared = new Uint8Array(words.length)

  const startOfLength = (length: number): number => {
    for (let longer = length; longer < firstOfLength.length; longer++) {
      const first = firstOfLength[longer]
      if (first !== undefined) return first
    }
    return words.length
  }

  return {
    size: words.length,
    countOf: (word) => counts[indexByWord.get(word) ?? -1] ?? 0,
    beginsWord: (prefix) => {
      // Words of one length are in alphabetical order.
      for (let length = prefix.length + 1; length < firstOfLength.length; length++) {
        const from = firstOfLength[length]
        if (from === undefined) continue
        const count = startOfLength(length + 1) - from
        const at = from + lowerBound(count, (index) => (words[from + index] ?? '') < prefix)
        if (at < from + count && words[at]?.startsWith(prefix) === true) return true
      }
      return false
    },
    findNeighbours: (word, maxDistance, limit) => {
      const from = startOfLength(word.length - maxDistance)
      const to = startOfLength(word.length + maxDistance + 1)
      if (from >= to) return []
      shared.fill(0, from, to)
      const bigrams = bigramsOf(word)
      const enough = Math.max(1, bigrams.length - 3 * maxDistance + (maxDistance > 1 ? 1 : 0))
      const candidates: number[] = []
      for (const bigram of bigrams) {
        const end = ends[bigram + 1] ?? 0
        const start = starts[bigram] ?? 0
        const first = start + lowerBound(end - start, (index) => (lists[start + index] ?? 0) < from)
        for (let place = first; place < end; place++) {
          const index = lists[place] ?? 0
          if (index >= to) break
          const count = (shared[index] ?? 0) + 1
          shared[index] = count
          if (count === enough) candidates.push(index)
        }
      }
      const neighbours: Neighbour[] = []
      for (const index of candidates) {
        const distance = editDistance(word, words[index] ?? '', maxDistance)
        if (distance <= maxDistance) neighbours.push({ word: words[index] ?? '', distance, count: counts[index] ?? 0 })
      }
      return neighbours.sort((a, b) => a.distance - b.distance || b.count - a.count).slice(0, limit)
    },
  }
}

/** The distinct pairs of letters of a word, with its beginning and its end: what trigrams have in their last two places. */
const bigramsOf = (word: string): number[] => {
  const bigrams = new Set<number>()
  eachTrigram(word, true, (trigram) => bigrams.add(trigram & (BIGRAMS - 1)))
  return [...bigrams]
}

const lowerBound = (length: number, isBefore: (index: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}

let previous2 = new Uint8Array(64)
let previous = new Uint8Array(64)
let current = new Uint8Array(64)

/** Damerau–Levenshtein distance in its restricted form (a pair of letters is swapped once); above `most` it says `most + 1`. */
export const editDistance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  if (b.length + 1 > current.length) {
    previous2 = new Uint8Array(b.length + 1)
    previous = new Uint8Array(b.length + 1)
    current = new Uint8Array(b.length + 1)
  }
  for (let j = 0; j <= b.length; j++) previous[j] = Math.min(j, 250)
  for (let i = 1; i <= a.length; i++) {
    current[0] = Math.min(i, 250)
    let best = current[0]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let cost = Math.min((previous[j - 1] ?? 0) + (isSame ? 0 : 1), (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1)
      const isSwapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      if (isSwapped) cost = Math.min(cost, (previous2[j - 2] ?? 0) + 1)
      current[j] = cost
      if (cost < best) best = cost
    }
    if (best > most) return most + 1
    const spare = previous2
    previous2 = previous
    previous = current
    current = spare
  }
  return Math.min(previous[b.length] ?? 0, most + 1)
}
