/*
 * Trigrams as in pg_trgm (https://www.postgresql.org/docs/18/pgtrgm.html): a word is padded with two spaces before
 * and one after. A trigram is a number below 2^18, six bits per character; non-ASCII letters share the remaining codes below 64.
 */
const SPACE = 0
export const TRIGRAM_SPACE = 1 << 18

const codeOf = (unit: number): number => {
  if (unit >= 97 && unit <= 122) return unit - 96
  if (unit >= 48 && unit <= 57) return unit - 21
  return 37 + (unit % 27)
}

/** Calls `see` with each trigram of a folded word. A word still being typed is not padded at the end. */
export const eachTrigram = (word: string, done: boolean, see: (trigram: number) => void): void => {
  let first = SPACE
  let second = SPACE
  for (let index = 0; index < word.length; index++) {
    const third = codeOf(word.charCodeAt(index))
    see((first << 12) | (second << 6) | third)
    first = second
    second = third
  }
  if (done) see((first << 12) | (second << 6) | SPACE)
}

/** The distinct trigrams of a folded word. */
export const trigramsOf = (word: string, done = true): number[] => {
  const trigrams = new Set<number>()
  eachTrigram(word, done, (trigram) => trigrams.add(trigram))
  return [...trigrams]
}
