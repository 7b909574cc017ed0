import { ScrapeError } from '../scrape-error'
import { wordsOf } from './text'

/**
 * The candidate that equals the wanted label, or else the one that begins with it, or else the one that contains it, by whole words.
 * Undefined: none does.
 *
 * @throws ScrapeError `page_changed` naming the candidates, when several fit equally well
 */
export const bestMatch = (wanted: string, candidates: readonly string[]): string | undefined => {
  const words = wordsOf(wanted)
  const levels: ((candidate: string) => boolean)[] = [
    (candidate) => candidate === words,
    (candidate) => ` ${spaced(candidate)} `.startsWith(` ${spaced(words)} `),
    (candidate) => ` ${spaced(candidate)} `.includes(` ${spaced(words)} `),
  ]
  for (const fits of levels) {
    const found = [...new Set(candidates.map(wordsOf))].filter(fits)
    if (found.length === 1) return candidates.find((candidate) => wordsOf(candidate) === found[0])
    if (found.length > 1) {
      throw new ScrapeError('page_changed', `"${wanted}" may be "${found.join('" or "')}"`)
    }
  }
  return undefined
}

/** Without punctuation, so that `Assessed Value (100%)` begins with `Assessed Value`. */
const spaced = (words: string): string => words.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
