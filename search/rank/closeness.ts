import type { Spelling } from '../query/spellings'
import { isSame } from '../query/text'

/** A field as written, and its words. */
export interface WrittenField {
  text: string | null
  words: readonly string[]
}

/** The field is nothing else. */
const WHOLE_TEXT = 3
/** It has only more punctuation. */
export const WHOLE_WORDS = 2
const IN_ORDER = 1
const IN_ANY_ORDER = 0.5
/** Added if the last word is whole: "81" is closer to 81 than to 815. */
const LAST_WORD_WHOLE = 0.25

/** What words before the found ones take away, up to `most`. Words after a comma or a dot are another phrase, often another person. */
const DISTANCE = { word: 0.01, phrase: 0.08, most: 0.2 } as const

/**
 * How closely a field has the words of a spelling, to order hits with equal scores. "BOYER MATTHEW" is closer to "boyer matthew" than "BOYER MATTHEW &",
 * "SMITH BOYER MATTHEW" and "MATTHEW BOYER", in this order. 0: a word is missing.
 */
export const closenessOf = (spelling: Spelling, fields: readonly WrittenField[]): number =>
  Math.max(0, ...fields.map((field) => closenessTo(field, spelling)))

const closenessTo = ({ text, words: own }: WrittenField, { words, lastWordDone }: Spelling): number => {
  if (isSame(own, words)) return text?.length === words.join(' ').length ? WHOLE_TEXT : WHOLE_WORDS
  const ofLastWord = own.includes(words.at(-1) ?? '') ? LAST_WORD_WHOLE : 0
  const start = own.findIndex((_, place) => hasInOrder(own, place, words, lastWordDone))
  if (start >= 0) return IN_ORDER + ofLastWord - distanceTo(text ?? '', own, start)
  return hasInAnyOrder(own, words, lastWordDone) ? IN_ANY_ORDER + ofLastWord : 0
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

/** Whether each of `wanted` is another one of the words. An initial is the beginning of a word. */
const hasInAnyOrder = (words: readonly string[], wanted: readonly string[], lastWordDone: boolean): boolean => {
  const left = [...words]
  return wanted.every((word, place) => {
    const isBeginning = word.length === 1 || (!lastWordDone && place === wanted.length - 1)
    const at = left.findIndex((own) => own === word || (isBeginning && own.startsWith(word)))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

const distanceTo = (text: string, words: readonly string[], start: number): number => {
  if (start === 0) return 0
  const before = text.slice(0, Math.max(0, text.toLowerCase().indexOf(words[start] ?? '')))
  const phrases = before.match(/[.,;]/g)?.length ?? 0
  return Math.min(DISTANCE.most, DISTANCE.word * start + DISTANCE.phrase * phrases)
}
