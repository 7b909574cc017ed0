/*
 * Trigrams as in pg_trgm (https://www.postgresql.org/docs/18/pgtrgm.html): a word is padded with two spaces before
 * and one after. A trigram is a number below 2^18, six bits per character; non-ASCII letters share the remaining codes below 64.
 */
const SPACE = 0
const TRIGRAM_SPACE = 1 << 18

const codeOf = (unit: number): number => {
  if (unit >= 97 && unit <= 122) return unit - 96
  if (unit >= 48 && unit <= 57) return unit - 21
  return 37 + (unit % 27)
}

/** The distinct trigrams of a folded word. A word still being typed is not padded at the end. */
export const trigramsOf = (word: string, done = true): number[] => {
  const trigrams = new Set<number>()
  let pair = (SPACE << 6) | SPACE
  for (let index = 0; index < word.length; index++) {
    const trigram = (pair << 6) | codeOf(word.charCodeAt(index))
    trigrams.add(trigram)
    pair = trigram & PAIR
  }
  if (done) trigrams.add((pair << 6) | SPACE)
  return [...trigrams]
}

/** The last two characters of a trigram. */
const PAIR = (1 << 12) - 1

/**
 * A set of the trigrams of some words. All fields of all candidates share one set, because it allocates nothing when filled and needs
 * no clearing.
 */
export class TrigramSet {
  /** The number of distinct trigrams. */
  size = 0
  /** For each trigram, the last fill that contained it. */
  private readonly seen = new Int32Array(TRIGRAM_SPACE)
  private filling = 0

  /** Replaces the contents by the trigrams of folded words, all complete. */
  fill(words: readonly string[]): void {
    // The number increases slowly, but a service runs for a long time.
    if (this.filling > 2 ** 30) {
      this.seen.fill(0)
      this.filling = 0
    }
    const { seen } = this
    const filling = ++this.filling
    let size = 0
    for (let place = 0; place < words.length; place++) {
      const word = words[place] as string
      let pair = (SPACE << 6) | SPACE
      for (let index = 0; index <= word.length; index++) {
        const trigram = (pair << 6) | (index < word.length ? codeOf(word.charCodeAt(index)) : SPACE)
        if (seen[trigram] !== filling) {
          seen[trigram] = filling
          size++
        }
        pair = trigram & PAIR
      }
    }
    this.size = size
  }

  /** How many of the trigrams are in the set. */
  count(trigrams: readonly number[]): number {
    const { seen, filling } = this
    let found = 0
    for (let place = 0; place < trigrams.length; place++) if (seen[trigrams[place] as number] === filling) found++
    return found
  }
}
