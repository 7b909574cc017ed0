import type { Spelling } from '../query/spellings'
import { isSame } from '../query/text'

/** A field as written, and its words. */
export interface WrittenField {
  text: string | null
  words: readonly string[]
}

const WHOLE_TEXT = 3
const WHOLE_WORDS = 2
const IN_ORDER = 1

/**
 * How closely a field has the words of a spelling, to order hits with equal scores: it is nothing else (3), it has more punctuation (2), it has
 * them in this order (1), or none of these (0). "BOYER MATTHEW" is closer to "boyer matthew" than "BOYER MATTHEW &" and "MATTHEW BOYER".
 */
export const closenessOf = ({ words, lastWordDone }: Spelling, fields: readonly WrittenField[]): number => {
  let closest = 0
  for (const { text, words: own } of fields) {
    if (isSame(own, words)) {
      closest = Math.max(closest, text?.length === words.join(' ').length ? WHOLE_TEXT : WHOLE_WORDS)
    } else if (closest === 0 && own.some((_, start) => hasInOrder(own, start, words, lastWordDone))) {
      closest = IN_ORDER
    }
  }
  return closest
}

/** Whether `wanted` are the words from `start` on. The last one may be the beginning of a word unless `lastWordDone`. */
const hasInOrder = (
  words: readonly string[],
  start: number,
  wanted: readonly string[],
  lastWordDone: boolean,
): boolean =>
  wanted.every((word, place) => {
    const own = words[start + place]
    return own === word || (!lastWordDone && place === wanted.length - 1 && own?.startsWith(word) === true)
  })
