import type { Vocabulary } from './vocabulary'

/** The parts before a surname that rolls and people write as a word of their own or not: "DE LA CRUZ", "DELACRUZ", "MAC DONALD". */
const PARTICLES: ReadonlySet<string> = new Set(
  'd da de del dela della den der di du la las le les los mac mc o saint st te ten ter van vande vander von'.split(' '),
)
/** Whether a word may be a part of the surname after it: "de", "van". */
export const isParticle = (word: string): boolean => word.length > 1 && PARTICLES.has(word)

const LONGEST_PARTICLE = 6
const MOST_PARTS = 3
const SHORTEST_SURNAME = 3

/** The words with the parts of a surname in one word, if the vocabulary has it. Null: there is none. */
export const joinParticles = (words: readonly string[], vocabulary: Vocabulary): readonly string[] | null => {
  for (let start = 0; start < words.length - 1; start++) {
    for (let end = Math.min(words.length, start + MOST_PARTS); end > start + 1; end--) {
      const parts = words.slice(start, end)
      const joined = parts.join('')
      if (!parts.slice(0, -1).every((part) => PARTICLES.has(part)) || vocabulary.countOf(joined) === 0) continue
      return [...words.slice(0, start), joined, ...words.slice(end)]
    }
  }
  return null
}

/** The words with a surname in its parts, if the vocabulary has the last one. Null: there is none. */
export const splitParticles = (words: readonly string[], vocabulary: Vocabulary): readonly string[] | null => {
  for (const [place, word] of words.entries()) {
    const parts = splitSurname(word, MOST_PARTS, vocabulary)
    if (parts !== null) return [...words.slice(0, place), ...parts, ...words.slice(place + 1)]
  }
  return null
}

/** "delacruz" → "de", "la", "cruz". The most parts first. */
const splitSurname = (word: string, most: number, vocabulary: Vocabulary): string[] | null => {
  if (most < 2) return null
  for (let at = 1; at <= Math.min(LONGEST_PARTICLE, word.length - SHORTEST_SURNAME); at++) {
    const [particle, rest] = [word.slice(0, at), word.slice(at)]
    if (!PARTICLES.has(particle)) continue
    const parts = splitSurname(rest, most - 1, vocabulary) ?? (vocabulary.countOf(rest) > 0 ? [rest] : null)
    if (parts !== null) return [particle, ...parts]
  }
  return null
}
