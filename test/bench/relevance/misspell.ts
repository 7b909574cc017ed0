import type { Random } from '../../../dev/sample-county/random'
import { NEIGHBOR_KEYS, NICKNAMES, SOUNDS } from './spellings'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
const DIGITS = [...'0123456789']

/** One character dropped, doubled, changed, or two neighbors swapped; never the first. The space between words can be hit. */
export const addTypo = (random: Random, text: string): string => {
  if (text.length < 3) return text
  for (;;) {
    const at = 1 + random.below(text.length - 1)
    const [before, here, after] = [text.slice(0, at), text[at] ?? '', text.slice(at + 1)]
    const typed = [
      () => before + after,
      () => before + here + here + after,
      () => before + random.pick(/\d/.test(here) ? DIGITS : LETTERS) + after,
      () => before + (after[0] ?? '') + here + after.slice(1),
    ][random.below(4)]?.()
    if (typed !== undefined && typed !== text && typed.trim() === typed) return typed
  }
}

/** Replaces the word at `at`. Null when `change` does not change it. */
const changeWord = (text: string, at: number, change: (word: string) => string | null): string | null => {
  const words = text.split(' ')
  const changed = change(words[at] ?? '')
  return changed === null || changed === words[at]
    ? null
    : words.map((word, index) => (index === at ? changed : word)).join(' ')
}

/** The positions of words for which `isWanted` is true. */
const placesOf = (text: string, isWanted: (word: string) => boolean): number[] =>
  text.split(' ').flatMap((word, at) => (isWanted(word) ? [at] : []))

/** Changes one of the words that can be changed. */
const changeSomeWord = (random: Random, text: string, change: (word: string) => string | null): string | null => {
  const places = placesOf(text, (word) => (change(word) ?? word) !== word)
  return places.length === 0 ? null : changeWord(text, random.pick(places), change)
}

/** A letter replaced by one that is beside it on the keyboard. */
export const hitNeighborKey = (random: Random, text: string): string | null => {
  const places = [...text].flatMap((letter, at) => (at > 0 && NEIGHBOR_KEYS[letter] !== undefined ? [at] : []))
  if (places.length === 0) return null
  const at = random.pick(places)
  return text.slice(0, at) + random.pick([...(NEIGHBOR_KEYS[text[at] ?? ''] ?? '')]) + text.slice(at + 1)
}

const respellSound = (word: string): string | null => {
  if (!/^[a-z]{5,}$/.test(word)) return null
  const rule = SOUNDS.find(([from]) => from.test(word))
  return rule === undefined ? null : word.replace(rule[0], rule[1])
}

/** One word as it sounds: "phelps" → "felps". */
export const spellBySound = (random: Random, text: string): string | null => changeSomeWord(random, text, respellSound)

export const useNickname = (random: Random, text: string): string | null =>
  changeSomeWord(random, text, (word) => NICKNAMES[word] ?? null)

export const swapDigits = (random: Random, text: string): string | null => {
  const places = [...text].flatMap((digit, at) =>
    at > 0 && /\d\d/.test(text.slice(at - 1, at + 1)) && digit !== text[at - 1] ? [at] : [],
  )
  if (places.length === 0) return null
  const at = random.pick(places)
  return text.slice(0, at - 1) + text[at] + text[at - 1] + text.slice(at + 1)
}

export const changeDigit = (random: Random, text: string): string | null => {
  const places = [...text].flatMap((digit, at) => (/\d/.test(digit) ? [at] : []))
  if (places.length === 0) return null
  const at = random.pick(places)
  return text.slice(0, at) + random.pick(DIGITS.filter((digit) => digit !== text[at])) + text.slice(at + 1)
}

export const moveSpace = (random: Random, text: string): string | null => {
  const spaces = [...text].flatMap((letter, at) => (letter === ' ' ? [at] : []))
  const inner = [...text].flatMap((_, at) => (at > 1 && /[a-z]{2}/.test(text.slice(at - 1, at + 1)) ? [at] : []))
  const places = random.chance(0.5) ? spaces : inner
  if (places.length === 0) return null
  const at = random.pick(places)
  return places === spaces ? text.slice(0, at) + text.slice(at + 1) : `${text.slice(0, at)} ${text.slice(at)}`
}

/** Misspells one word of five or more letters, and returns both texts' difference. Null when there is no such word. */
export const misspellWord = (random: Random, text: string, isKnown: (word: string) => boolean): string | null => {
  const places = placesOf(text, (word) => /^[a-z]{5,}$/.test(word))
  if (places.length === 0) return null
  return changeWord(text, random.pick(places), (word) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const typed = addTypo(random, word)
      if (!typed.includes(' ') && !isKnown(typed)) return typed
    }
    return null
  })
}
