import { standardizeWord } from '../query/address'
import { fold, normalizeName, parcelKey } from '../query/text'
import { trigramsOf } from '../query/trigrams'

/** A word of the query. `foundHere`: ranking found it in this field, so the most similar word is marked too. */
export interface WantedWord {
  word: string
  /** False: still being typed, so it marks the beginnings of words. */
  done: boolean
  foundHere: boolean
}

/** A part of a text: one word, or several joined by apostrophes and dots ("O'NEIL", "L.L.C."). */
interface Token {
  start: number
  raw: string
  /** The normalized word: folded, without apostrophes and dots. */
  word: string
  spellings: readonly string[]
}

type Range = [start: number, end: number]

/** A differently spelled word must have this share of trigrams in common. */
const MIN_LIKENESS = 0.3

/**
 * A text as HTML: the matched part of each word in `<mark>`, everything escaped. Null when no word matches. A query word
 * marks equal words; a word being typed marks the beginnings of words; otherwise, a word that ranking found in this field marks the
 * most similar word.
 */
export const highlightText = (text: string, wanted: readonly WantedWord[]): string | null => {
  const tokens = listTokens(text)
  const ranges = wanted.flatMap((word) => findRanges(tokens, word))
  return ranges.length === 0 ? null : markRanges(text, mergeRanges(ranges))
}

/**
 * An id that was found, as HTML: the longest of the typed keys (`parcelKey`) that is part of it is in `<mark>`. If none is, because the id was
 * typed with other zeros or a wrong digit, the whole id is.
 */
export const highlightId = (id: string, keys: readonly string[]): string => {
  let key = ''
  /** The range in the id of each UTF-16 unit of the key. */
  const ranges: Range[] = []
  for (const { 0: character, index } of id.matchAll(/./gsu)) {
    const part = parcelKey(character)
    key += part
    for (let unit = 0; unit < part.length; unit++) ranges.push([index, index + character.length])
  }
  const typed = keys.filter((one) => key.includes(one)).toSorted((a, b) => b.length - a.length)[0] ?? key
  const first = key.indexOf(typed)
  const [start] = ranges[first] ?? [0]
  const [, end] = ranges[first + typed.length - 1] ?? [0, id.length]
  return markRanges(id, [[start, end]])
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const HELD_TOGETHER = /[\p{L}\p{N}\p{M}]+(?:['’`.][\p{L}\p{N}\p{M}]+)+/gu
const HOLDERS = /['’`.]/g

const listTokens = (text: string): Token[] =>
  [HELD_TOGETHER, WORD].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: raw, index }) => {
      const word = fold(raw).replace(HOLDERS, '')
      return { start: index, raw, word, spellings: spellingsOf(word) }
    }),
  )

const findRanges = (tokens: readonly Token[], { word, done, foundHere }: WantedWord): Range[] => {
  const wanted = spellingsOf(word)
  const equal = tokens.filter(({ spellings }) => isEqual(spellings, wanted)).map(wholeOf)
  const prefixed =
    foundHere && (!done || equal.length === 0)
      ? tokens.filter((token) => token.word.startsWith(word)).map((token) => beginningOf(token, word.length))
      : []
  const exact = [...equal, ...prefixed]
  if (exact.length > 0 || !foundHere) return exact
  const nearest = findNearest(tokens, word, done)
  return nearest === null ? [] : [wholeOf(nearest)]
}

/** A word in its address and name forms: "street" as "st", "incorporated" as "inc". */
const spellingsOf = (word: string): readonly string[] => [standardizeWord(word), normalizeName(word)]

const isEqual = (a: readonly string[], b: readonly string[]): boolean => a.some((spelling, way) => spelling === b[way])

const findNearest = (tokens: readonly Token[], word: string, done: boolean): Token | null => {
  const trigrams = trigramsOf(word, done)
  let [nearest, nearestShare]: [Token | null, number] = [null, 0]
  for (const token of tokens) {
    const own = new Set(trigramsOf(token.word))
    const common = trigrams.filter((trigram) => own.has(trigram)).length
    const share = common / Math.max(trigrams.length, 1)
    if (share >= MIN_LIKENESS && share > nearestShare) [nearest, nearestShare] = [token, share]
  }
  return nearest
}

const wholeOf = ({ start, raw }: Token): Range => [start, start + raw.length]

/** The range of a token whose folded letters are its first `length`: "É" may be two characters, "İ" folds to two. */
const beginningOf = ({ start, raw }: Token, length: number): Range => {
  let [end, folded] = [start, 0]
  for (const character of raw) {
    const letters = fold(character).replace(HOLDERS, '').length
    // Combining marks belong to the last letter; apostrophes and dots do not.
    if (folded >= length && (letters > 0 || /['’`.]/.test(character))) break
    folded += letters
    end += character.length
  }
  return [start, end]
}

const mergeRanges = (ranges: readonly Range[]): Range[] => {
  const merged: Range[] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

const markRanges = (text: string, ranges: readonly Range[]): string => {
  let html = ''
  let at = 0
  for (const [start, end] of ranges) {
    html += `${escapeHtml(text.slice(at, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`
    at = end
  }
  return html + escapeHtml(text.slice(at))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
