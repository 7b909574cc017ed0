import type { Spelling } from '../query/spellings'
import { isSame } from '../query/text'

/** A field as written, and its words. */
export interface WrittenField {
  text: string | null
  words: readonly string[]
}

/** The field equals the text. */
const WHOLE_TEXT = 3
/** The field differs only in punctuation. */
export const WHOLE_WORDS = 2
const IN_ORDER = 1
const IN_ANY_ORDER = 0.5
/** Added if the last word is whole: "81" is closer to 81 than to 815. */
const LAST_WORD_WHOLE = 0.25

/** How much each word before the match lowers the result, at most `most` together. A comma or a dot begins another phrase, often another person. */
const DISTANCE = { word: 0.01, phrase: 0.08, most: 0.2 } as const

/**
 * How closely a field matches the words of a spelling, to order hits with equal scores. "BOYER MATTHEW" is closer to "boyer matthew"
 * than "BOYER MATTHEW &", "SMITH BOYER MATTHEW" and "MATTHEW BOYER", in this order. 0: a word is missing.
 */
export const closenessOf = (spelling: Spelling, fields: readonly WrittenField[]): number => {
  let closeness = 0
  for (const field of fields) closeness = Math.max(closeness, closenessTo(field, spelling))
  return closeness
}

const closenessTo = ({ text, words: own }: WrittenField, { words, lastWordDone }: Spelling): number => {
  if (isSame(own, words)) return text?.length === words.join(' ').length ? WHOLE_TEXT : WHOLE_WORDS
  const ofLastWord = own.includes(words.at(-1) ?? '') ? LAST_WORD_WHOLE : 0
  for (let start = 0; start < own.length; start++) {
    if (hasInOrder(own, start, words, lastWordDone)) return IN_ORDER + ofLastWord - distanceTo(text ?? '', own, start)
  }
  return hasInAnyOrder(own, words, lastWordDone) ? IN_ANY_ORDER + ofLastWord : 0
}

/** Whether `wanted` are the words from `start` on. The last one may be the beginning of a word unless `lastWordDone`. */
const hasInOrder = (
  words: readonly string[],
  start: number,
  wanted: readonly string[],
  lastWordDone: boolean,
): boolean => {
  for (let place = 0; place < wanted.length; place++) {
    const own = words[start + place]
    const word = wanted[place] as string
    const isBeginning = !lastWordDone && place === wanted.length - 1 && own?.startsWith(word) === true
    if (own !== word && !isBeginning) return false
  }
  return true
}

/** Whether each of `wanted` is another one of the words. An initial is the beginning of a word. */
const hasInAnyOrder = (words: readonly string[], wanted: readonly string[], lastWordDone: boolean): boolean => {
  if (wanted.length > words.length) return false
  const left = [...words]
  for (let place = 0; place < wanted.length; place++) {
    const word = wanted[place] as string
    const isBeginning = word.length === 1 || (!lastWordDone && place === wanted.length - 1)
    const at = left.findIndex((own) => own === word || (isBeginning && own.startsWith(word)))
    if (at < 0) return false
    left.splice(at, 1)
  }
  return true
}

const distanceTo = (text: string, words: readonly string[], start: number): number => {
  if (start === 0) return 0
  const before = text.slice(0, Math.max(0, text.toLowerCase().indexOf(words[start] ?? '')))
  const phrases = before.match(/[.,;]/g)?.length ?? 0
  return Math.min(DISTANCE.most, DISTANCE.word * start + DISTANCE.phrase * phrases)
}
