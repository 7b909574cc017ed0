import type { Spelling } from '../query/spellings'

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
  const wanted = words.join(' ')
  const start = ` ${wanted}${lastWordDone ? ' ' : ''}`
  let closest = 0
  for (const { text, words: own } of fields) {
    const written = own.join(' ')
    if (written === wanted) closest = Math.max(closest, text?.length === wanted.length ? WHOLE_TEXT : WHOLE_WORDS)
    else if (closest === 0 && ` ${written} `.includes(start)) closest = IN_ORDER
  }
  return closest
}
