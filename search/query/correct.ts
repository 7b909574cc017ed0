import { DIRECTION, isAddressForm, isOrdinal, isStreetSuffix, ORDINAL_ENDING } from './address'
import { isNameForm } from './text'
import type { Vocabulary, VocabularyEntry } from './vocabulary'

/** A spelling of the query with words that exist. A lower cost means fewer changed letters. */
export interface Correction {
  words: string[]
  /** The words without those that no record has. Default: all words. */
  known?: readonly string[]
  cost: number
  /** The words before Publication 28 shortened them, to show to a person. Default: `words`. */
  unshortened?: readonly string[]
}

type Best = Correction & { known: readonly string[] }

/** A replacement for the first `used` words. */
interface Option {
  words: readonly string[]
  /** Default: all words. */
  known?: readonly string[]
  used: number
  cost: number
}

/** The cost of an unknown word that is kept. */
const UNKNOWN_COST = 3
const NEIGHBORS = 8
/**
 * A known word may still be a misspelling if a similar word is this many times as frequent. Among millions of records, one has "cambrige"
 * and thousands have "cambridge".
 */
const FAR_MORE_FREQUENT = 200
/** Shorter known words are not checked for misspellings, because too many of them are similar to a frequent word. */
const SHORTEST_MISSPELLED = 5
const MAX_SPLITS = 6
const SHORTEST_HALF = 4
/** Too many words begin with two letters. */
const SHORTEST_ABBREVIATION = 3
/** Shorter words are completed only to frequent ones: "mem" to "memorial", but "zip" not to a rare surname. */
const SHORTEST_ABBREVIATION_OF_RARE = 5
/** A word is frequent if at least this many records have it. */
const FREQUENT_WORD = 10
/** Before a street's suffix, the beginning of a word is likelier an abbreviation ("mass ave") than a misspelling. */
const ABBREVIATED_STREET_COST = 0.6
/** An abbreviation leaves out at least this many letters. A word that lacks fewer is more likely misspelled. */
const FEWEST_LEFT_OUT = 3
/** A known word may still abbreviate the name of a street that is this many times as frequent. */
const MORE_FREQUENT_STREET = 5
/** Hillsboro and Hillsborough are one name in two spellings. */
const OTHER_BOROUGH_COST = 0.5
/** "18", "18b": there are too many numbers to list them all. Ordinals ("18th") are words. */
const isNumber = (word: string): boolean => /^\d+[a-z]?$/.test(word)
/** "18ne", "n18th": a number and a direction with a missing or mistyped space. */
const NUMBER_AND_DIRECTION = new RegExp(`^(\\d+)[a-z]??(${DIRECTION})$`)
const DIRECTION_AND_ORDINAL = new RegExp(`^(${DIRECTION})[a-z]?(\\d+(?:${ORDINAL_ENDING}))$`)
const DIGIT_AND_DIRECTION = new RegExp(`^(\\d)(${DIRECTION})$`)
const WHOLE_DIRECTION = new RegExp(`^(?:${DIRECTION})$`)
/** "12oak", "ste2": a number and a word with a missing space. */
const WORD_AND_NUMBER = /^([a-z]{2,})(\d+)$/
const NUMBER_AND_WORD = new RegExp(`^(\\d+)(?!(?:${ORDINAL_ENDING})$)([a-z]{2,})$`)

/**
 * The likeliest spellings of a query, best first; none when all its words are known. Words are looked up one by one, and together with the
 * next one if the space between them may be wrong. The last word, while it is being typed, counts as known when a known word
 * begins with it. `correctKnownWords`: also replaces known words. Otherwise only those that a far more frequent word is similar to.
 */
export const correctWords = (
  words: readonly string[],
  lastWordDone: boolean,
  vocabulary: Vocabulary,
  { limit, correctKnownWords = false }: { limit: number; correctKnownWords?: boolean },
): Correction[] => {
  const isKnown = (word: string, index: number) =>
    (isNumber(word) && !NUMBER_AND_DIRECTION.test(word)) ||
    word.length < 2 ||
    vocabulary.countOf(word) > 0 ||
    isAddressForm(word) ||
    isNameForm(word) ||
    (index === words.length - 1 && !lastWordDone && vocabulary.beginsWord(word))
  const isBeforeSuffix = (index: number) => isStreetSuffix(words[index + 1] ?? '')
  const otherWords = words.map((word, index): Option[] => {
    if (!isKnown(word, index)) return []
    const abbreviated = isBeforeSuffix(index) ? listAbbreviatedStreets(word, vocabulary) : []
    if (correctKnownWords) return [...abbreviated, ...listOtherWords(word, vocabulary)]
    const isTyped = index === words.length - 1 && !lastWordDone
    const frequent = listFrequentWords(word, vocabulary)
    return [...abbreviated, ...frequent.filter(({ words: [other = ''] }) => !isTyped || !other.startsWith(word))]
  })
  if (vocabulary.size === 0) return []
  if (!correctKnownWords && words.every(isKnown) && otherWords.every(({ length }) => length === 0)) return []

  const optionsAt = (start: number): Option[] => {
    const [word = '', next] = words.slice(start, start + 2)
    const isFirstKnown = isKnown(word, start)
    const areBothWords =
      isFirstKnown && next !== undefined && isKnown(next, start + 1) && word.length > 2 && next.length > 2
    const spellings: Option[] = isFirstKnown
      ? [{ words: [word], used: 1, cost: 0 }, ...(otherWords[start] ?? [])]
      : listSpellings(word, vocabulary, {
          maxDistance: word.length < (correctKnownWords ? 4 : 5) ? 1 : 2,
          isBeforeSuffix: isBeforeSuffix(start),
        })
    return [
      ...spellings,
      ...(next === undefined || areBothWords ? [] : listRespacings(word, next, vocabulary)),
      ...listNumberRespacings(word, next, (one) => vocabulary.countOf(one) > 0 || isAddressForm(one)),
    ]
  }
  const asTyped = words.join(' ')
  const cheapest = listCheapest(words.length, optionsAt, limit * 2)
  const distinct = new Map(cheapest.toReversed().map((correction) => [correction.words.join(' '), correction]))
  // The typed words are a correction if some are unknown: then the search looks for records with the others.
  if (distinct.get(asTyped)?.known.length === words.length) distinct.delete(asTyped)
  const corrections = [...distinct.values()].filter(({ known }) => known.length > 0)
  return corrections.sort((a, b) => a.cost - b.cost).slice(0, limit)
}

/** The cheapest spellings of `count` words, at most `most`. Works backward: for each word, the best spellings from there to the end. */
const listCheapest = (count: number, optionsAt: (start: number) => Option[], most: number): Best[] => {
  const best: Best[][] = Array.from({ length: count + 1 }, () => [])
  best[count] = [{ words: [], known: [], cost: 0 }]
  for (let start = count - 1; start >= 0; start--) {
    best[start] = optionsAt(start)
      .flatMap((option) =>
        (best[start + option.used] ?? []).map((rest) => ({
          words: [...option.words, ...rest.words],
          known: [...(option.known ?? option.words), ...rest.known],
          cost: option.cost + rest.cost,
        })),
      )
      .sort((a, b) => a.cost - b.cost)
      .slice(0, most)
  }
  return best[0] ?? []
}

/** For an unknown word: similar words, the word that it abbreviates ("mass"), or two words with a missing space. */
const listSpellings = (
  word: string,
  vocabulary: Vocabulary,
  { maxDistance, isBeforeSuffix }: { maxDistance: number; isBeforeSuffix: boolean },
): Option[] => {
  const options: Option[] = vocabulary
    .findNeighbors(word, maxDistance, NEIGHBORS)
    .filter(({ word: neighbor, distance }) => !isHalfLost(word, neighbor, distance) && staysOrdinal(word, neighbor))
    .map((neighbor) => ({
      words: [neighbor.word],
      used: 1,
      // A wrong first letter is the rarest mistake.
      cost: neighbor.distance + (neighbor.word[0] === word[0] ? 0 : 0.2) - frequencyOf(neighbor.count),
    }))
  const otherBorough = spellBoroughOtherwise(word)
  if (otherBorough !== null && vocabulary.countOf(otherBorough) > 0)
    options.push({ words: [otherBorough], used: 1, cost: OTHER_BOROUGH_COST })
  options.push(...listCompletions(word, vocabulary, { isBeforeSuffix, options }))
  options.push(...listSplits(word, vocabulary))
  options.push({ words: [word], known: [], used: 1, cost: UNKNOWN_COST })
  return options
}

/** An unknown word as two words with a missing space, or with a letter in place of the space. */
const listSplits = (word: string, vocabulary: Vocabulary): Option[] => {
  // The longer the known half, the likelier the guess. Looking up the other half takes most of the time.
  const halves: { left: string; right: string; dropped: number; known: number }[] = []
  for (let at = 2; at <= word.length - 2; at++) {
    for (const dropped of [0, 1]) {
      const [left, right] = [word.slice(0, at), word.slice(at + dropped)]
      const known =
        (countOf(left, vocabulary) > 0 ? left.length : 0) + (countOf(right, vocabulary) > 0 ? right.length : 0)
      if (known > 0) halves.push({ left, right, dropped, known })
    }
  }
  const splits: Option[] = []
  for (const { left, right, dropped } of halves.sort((a, b) => b.known - a.known).slice(0, MAX_SPLITS)) {
    const pair = matchPair(left, right, vocabulary)
    if (pair === null) continue
    // "huma ty" for "humanity": with a letter too many and another misspelled, almost any word is two others, one of them short.
    if (dropped > 0 && pair.cost > 0 && Math.min(left.length, right.length) < SHORTEST_HALF) continue
    splits.push({ words: pair.words, used: 1, cost: 1.1 + dropped * 0.2 + pair.cost })
  }
  return splits
}

/** The words that an unknown word may abbreviate, unless they are among `options`. There can be two only before a street's suffix. */
const listCompletions = (
  word: string,
  vocabulary: Vocabulary,
  { isBeforeSuffix, options }: { isBeforeSuffix: boolean; options: readonly Option[] },
): Option[] => {
  if (word.length < SHORTEST_ABBREVIATION) return []
  // "mapl st" is more likely "maple st" than "mapleton st".
  const isAlmostWhole = options.some(({ words: [other = ''] }) => other.startsWith(word))
  const [mostFrequent, street] = vocabulary.findCompletions(word)
  return [mostFrequent, isBeforeSuffix ? street : undefined]
    .filter((completion) => completion !== undefined)
    .filter(({ count }) => word.length >= SHORTEST_ABBREVIATION_OF_RARE || count >= FREQUENT_WORD)
    .filter((completion) => !options.some(({ words: [other] }) => other === completion.word))
    .map((completion) => ({
      words: [completion.word],
      used: 1,
      cost:
        (isBeforeSuffix && !isAlmostWhole && isAbbreviation(word, completion) ? ABBREVIATED_STREET_COST : 1) -
        frequencyOf(completion.count),
    }))
}

const isAbbreviation = (word: string, completion: VocabularyEntry): boolean =>
  completion.word.length >= word.length + FEWEST_LEFT_OUT

/** The far more frequent words that a known word before a street's suffix may abbreviate: "mass" is in names, too. */
const listAbbreviatedStreets = (word: string, vocabulary: Vocabulary): Option[] =>
  word.length < SHORTEST_ABBREVIATION || isNumber(word) || vocabulary.isStreet(word)
    ? []
    : vocabulary
        .findCompletions(word)
        .filter((completion) => isAbbreviation(word, completion))
        .filter(({ count }) => count >= FREQUENT_WORD && count >= vocabulary.countOf(word) * MORE_FREQUENT_STREET)
        .map((completion) => ({
          words: [completion.word],
          used: 1,
          cost: ABBREVIATED_STREET_COST - frequencyOf(completion.count),
        }))

/** What is taken off the cost of a word that `count` records have: frequent words are typed more often. */
const frequencyOf = (count: number): number => Math.min(0.4, Math.log10(1 + count) / 10)

/** "hillsboro" → "hillsborough", and the reverse. */
const spellBoroughOtherwise = (word: string): string | null => {
  if (word.endsWith('boro')) return `${word}ugh`
  return word.endsWith('borough') ? word.slice(0, -'ugh'.length) : null
}

/** "st" for "1st": the number of a street is not lost. */
const staysOrdinal = (word: string, neighbor: string): boolean => !isOrdinal(word) || isOrdinal(neighbor)

/** "and" for "bank": a short word that also loses letters has little in common with what was typed. */
const isHalfLost = (word: string, neighbor: string, distance: number): boolean =>
  distance > 1 && neighbor.length < word.length && neighbor.length < 4

/** Two words with a misplaced space: joined, or split elsewhere. */
const listRespacings = (word: string, next: string, vocabulary: Vocabulary): Option[] => {
  const joined = word + next
  const options: Option[] = []
  if (vocabulary.countOf(joined) > 0) options.push({ words: [joined], used: 2, cost: 0.9 })
  else if (joined.length > 4) {
    for (const { word: neighbor, distance } of vocabulary.findNeighbors(joined, 1, 1)) {
      options.push({ words: [neighbor], used: 2, cost: 1 + distance })
    }
  }
  for (const at of [word.length - 1, word.length + 1]) {
    // "457 e" never means "45 7e": a number keeps its digits and gets no letters.
    if (isNumber(word) && (at < word.length || !isNumber(next))) continue
    const pair = matchPair(joined.slice(0, at), joined.slice(at), vocabulary)
    if (pair !== null) options.push({ words: pair.words, used: 2, cost: 1 + pair.cost })
  }
  return options
}

/** A number and a direction with a missing, mistyped or misplaced space: "194n e" for "194 ne", "866 2ne" for "8662 ne". */
const listNumberRespacings = (word: string, next: string | undefined, isKnown: (word: string) => boolean): Option[] => {
  const options: Option[] = []
  const parted = NUMBER_AND_DIRECTION.exec(word) ?? DIRECTION_AND_ORDINAL.exec(word)
  if (parted !== null) options.push({ words: parted.slice(1), used: 1, cost: 1 })
  const spaced = NUMBER_AND_WORD.exec(word) ?? WORD_AND_NUMBER.exec(word)
  if (parted === null && spaced !== null) {
    const words = spaced.slice(1)
    // If both are known, a missing space is likelier than a similar word: "9smith" is not "smith".
    options.push({ words, used: 1, cost: words.every((one) => isNumber(one) || isKnown(one)) ? 0.4 : 1.2 })
  }
  const [, number, direction] = /^(\d+)([ns])$/.exec(word) ?? []
  if (number !== undefined && next !== undefined && WHOLE_DIRECTION.test(direction + next)) {
    options.push({ words: [number, direction + next], used: 2, cost: 0.8 })
  }
  const [, digit, ofNext] = DIGIT_AND_DIRECTION.exec(next ?? '') ?? []
  if (/^\d+$/.test(word) && digit !== undefined && ofNext !== undefined) {
    options.push({ words: [word + digit, ofNext], used: 2, cost: 0.8 })
  }
  return options
}

/** Splits at a guessed space: both words known, or one known and the other similar. Otherwise null. */
const matchPair = (left: string, right: string, vocabulary: Vocabulary): { words: string[]; cost: number } | null => {
  const [leftCount, rightCount] = [countOf(left, vocabulary), countOf(right, vocabulary)]
  if (leftCount === 0 && rightCount === 0) return null
  // Two initials match any pair of letters.
  if (left.length + right.length < 4) return null
  if (leftCount > 0 && rightCount > 0) {
    return { words: [left, right], cost: -frequencyOf(Math.min(leftCount, rightCount)) }
  }
  const [known, unknown] = leftCount > 0 ? [left, right] : [right, left]
  if (known.length < 2 || unknown.length < 3) return null
  const [nearest] = vocabulary.findNeighbors(unknown, 1, 1)
  if (nearest === undefined) return null
  return { words: leftCount > 0 ? [left, nearest.word] : [nearest.word, right], cost: nearest.distance }
}

/** Initials and numbers count as known. */
const countOf = (word: string, vocabulary: Vocabulary): number =>
  word.length === 1 || isNumber(word) ? 1 : vocabulary.countOf(word)

/** Alternatives to a known word that the caller may have meant: those with at least `leastCount` records. */
const listOtherWords = (word: string, vocabulary: Vocabulary, leastCount = 1): Option[] =>
  word.length < 3 || isNumber(word)
    ? []
    : vocabulary
        .findNeighbors(word, 1, NEIGHBORS + 1)
        .filter(({ word: other, distance, count }) => distance > 0 && count >= leastCount && staysOrdinal(word, other))
        .map((neighbor) => ({
          words: [neighbor.word],
          used: 1,
          cost: 1 - frequencyOf(neighbor.count),
        }))

const listFrequentWords = (word: string, vocabulary: Vocabulary): Option[] => {
  const leastCount = vocabulary.countOf(word) * FAR_MORE_FREQUENT
  const mayBeMisspelled = word.length >= SHORTEST_MISSPELLED && leastCount > 0 && leastCount <= vocabulary.highestCount
  return mayBeMisspelled ? listOtherWords(word, vocabulary, leastCount) : []
}
