import { fold } from './text'

/** Words of a query that were replaced: "street" by "st", "jnuiper" by "juniper". */
export interface Normalization {
  from: string
  to: string
}

/** How far to search for the next equal word: a company form is three words, a correction joins or splits two. */
const MAX_DIFFERING = 12

/** The replacements between a text and the words of a reading, in order. Dropped punctuation is not listed. */
export const listNormalizations = (text: string, words: readonly string[]): Normalization[] => {
  const typed = fold(text).match(/[\p{L}\p{N}]+|[#&]/gu) ?? []
  const normalizations: Normalization[] = []
  let [t, w] = [0, 0]
  while (t < typed.length || w < words.length) {
    if (typed[t] === words[w]) {
      t++
      w++
      continue
    }
    const [nextT, nextW] = findNextEqual(typed, t, words, w)
    normalizations.push(...pairUp(typed.slice(t, nextT), words.slice(w, nextW)))
    t = nextT
    w = nextW
  }
  return normalizations
}

/** Where two lists of words that differ at `t` and `w` are equal again. */
const findNextEqual = (
  typed: readonly string[],
  t: number,
  words: readonly string[],
  w: number,
): [t: number, w: number] => {
  for (let skipped = 1; skipped <= MAX_DIFFERING; skipped++) {
    for (let ofTyped = 0; ofTyped <= skipped; ofTyped++) {
      const [nextT, nextW] = [t + ofTyped, w + skipped - ofTyped]
      if (nextT < typed.length && nextW < words.length && typed[nextT] === words[nextW]) return [nextT, nextW]
    }
  }
  return [typed.length, words.length]
}

const pairUp = (typed: readonly string[], words: readonly string[]): Normalization[] => {
  if (words.length === 0) return []
  const letters = typed.filter((token) => token !== '#' && token !== '&')
  const from = typed.length === words.length ? typed : letters
  return from.length === words.length
    ? words.map((to, index) => ({ from: from[index] ?? '', to })).filter(({ from, to }) => from !== to)
    : [{ from: from.join(' '), to: words.join(' ') }]
}
