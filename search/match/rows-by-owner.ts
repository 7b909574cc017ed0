import { createVocabulary } from '../query/vocabulary'
import { isForm, isMisspelledForm } from './compare-owners'
import { add, BY, type Found, note } from './found-rows'
import type { ReadParcel } from './read-parcel'
import { remember } from './remember'
import type { RowQuery } from './row-query'

const MIN_ANCHOR = 3
/** How many words of a name are used to look it up. */
const MAX_ANCHORS = 3
/** A list may misspell the same name in a hundred ways. */
const ALL = Number.POSITIVE_INFINITY

/**
 * The rows by the words of their owners: by each pair of the three rarest ones, so that one may be misspelled or missing in the roll. A
 * single word would find far too many parcels.
 */
export const indexOwners = (queries: readonly RowQuery[]) => {
  const counts = new Map<string, number>()
  const wholes = new Map<string, RowQuery[]>()
  for (const query of queries) {
    if (query.owner === null) continue
    add(wholes, query.owner.joined, query)
    for (const word of query.owner.words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const numbers = new Map<string, number>()
  const numberOf = (word: string): number => {
    const number = numbers.get(word) ?? numbers.size
    numbers.set(word, number)
    return number
  }
  const rowsByPair = new Map<number, RowQuery[]>()
  for (const query of queries) {
    const words = [...new Set(query.owner?.words ?? [])].filter(isAnchor)
    const rarest = words.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, MAX_ANCHORS)
    const ofRow = rarest.map(numberOf)
    // In "webb living trsut", only "webb" is a name.
    const names = rarest.length === 2 ? rarest.filter((word) => !isMisspelledForm(word)) : rarest
    const [only] = names
    if (names.length === 1 && only !== undefined) add(rowsByPair, pairOf(numberOf(only), numberOf(only)), query)
    for (const [place, one] of ofRow.entries()) {
      for (const other of ofRow.slice(place + 1)) add(rowsByPair, pairOf(one, other), query)
    }
  }
  const vocabulary = createVocabulary([...numbers.keys()].map((word) => ({ word, count: 1 })))
  const listSimilar = remember((word): readonly number[] => {
    // If one word has two typos, the other words find the owner.
    const near = word.length < 4 || /\d/.test(word) ? [] : vocabulary.findNeighbors(word, 1, ALL)
    return [...new Set([word, ...near.map((one) => one.word)])].flatMap((one) => numbers.get(one) ?? [])
  })
  return {
    find: (parcel: ReadParcel, found: Found): void => {
      if (wholes.size === 0) return
      const owner = parcel.owner()
      if (owner === null) return
      for (const query of wholes.get(owner.joined) ?? []) note(found, query, BY.owner)
      const anchors = owner.words.filter(isAnchor).map(listSimilar)
      for (const [place, ones] of anchors.entries()) {
        for (const one of ones) {
          for (const query of rowsByPair.get(pairOf(one, one)) ?? []) note(found, query, BY.owner)
          for (let later = place + 1; later < anchors.length; later++) {
            for (const other of anchors[later] ?? []) {
              for (const query of rowsByPair.get(pairOf(one, other)) ?? []) note(found, query, BY.owner)
            }
          }
        }
      }
    },
  }
}

const isAnchor = (word: string): boolean => word.length >= MIN_ANCHOR && !isForm(word)

/** A number for two words in any order. */
const pairOf = (one: number, other: number): number => Math.min(one, other) * 2 ** 26 + Math.max(one, other)
