import { dropUnits, isAddressForm, isDirectional, isOrdinal, standardizeWord } from './address'
import { type Correction, correctWords } from './correct'
import { editDistance } from './edit-distance'
import { joinParticles, splitParticles } from './name-particles'
import type { SearchRequest, WordStatus } from './query'
import { isNameForm, ownerKey } from './text'
import type { Vocabulary } from './vocabulary'
import { COST_OF_UNIT, createWording, mayBeginName, type Wording } from './wording'

const MAX_CORRECTIONS = 6
const MAX_RELAXED_CORRECTIONS = 8
/** Corrections that cost about one letter more than the best one are tried only at later levels. */
const MAX_EXTRA_COST = 0.8

/**
 * Adds the corrections, and whatever else the vocabulary knows about the words, to the request. From the level `relaxed` on, known
 * words are corrected too.
 */
export const correct = (request: SearchRequest, vocabulary: Vocabulary): SearchRequest => {
  const corrected = addCorrections(request, vocabulary)
  return { ...corrected, wordStatus: lookUpWords(corrected, vocabulary) }
}

/**
 * Only for a query with known and unknown words. Otherwise nothing is noted: the records that resemble "smyth" are hits, too, although some have just
 * that.
 */
const lookUpWords = (
  { otherWordings, corrections, ...typed }: SearchRequest,
  vocabulary: Vocabulary,
): ReadonlyMap<string, WordStatus> => {
  const wordings = [typed, ...otherWordings].flatMap((one) => [one.words, one.nameWords, one.addressWords])
  const words = new Set(wordings.flat())
  const all = new Set([...words, ...corrections.flatMap((correction) => correction.words)])
  const known = new Set([...all].filter((word) => vocabulary.countOf(word) > 0))
  const isUnfinished = (word: string) => word === typed.words.at(-1) && !typed.lastWordDone
  const isUnknown = (word: string) =>
    isWord(word) && !known.has(word) && !(isUnfinished(word) && vocabulary.beginsWord(word))
  const unknown = [...words].filter(isUnknown)
  if (unknown.length === 0 || ![...words].some((word) => known.has(word))) return new Map()
  return new Map([
    ...unknown.map((word) => [word, 'unknown'] as const),
    ...[...known].map((word) => [word, 'known'] as const),
  ])
}

/** Initials and numbers are in too many records. */
const isWord = (text: string): boolean => /^\p{L}{2,}$/u.test(text)

const addCorrections = (request: SearchRequest, vocabulary: Vocabulary): SearchRequest => ({
  ...request,
  otherWordings: [
    ...request.otherWordings,
    ...(isCrossing(request, vocabulary) ? request.uncertainCrossing : []),
    ...listSurnames(request, vocabulary),
  ].map((wording) => (wording.isStreetOfCrossing === true ? correctStreet(wording, vocabulary) : wording)),
  isStreetName: isStreetName(request, vocabulary),
  largeOwners: findLargeOwners(request, vocabulary),
  lastWord: findLastWord(request.words.at(-1) ?? '', vocabulary),
  corrections: withHouses(
    request,
    request.matchLevel === 'strict'
      ? keepLikeliest(correctQuery(request, vocabulary, { limit: MAX_CORRECTIONS, correctKnownWords: false }))
      : correctQuery(request, vocabulary, { limit: MAX_RELAXED_CORRECTIONS, correctKnownWords: true }),
  ),
})

/** Each correction of an address with a unit, also without the unit. */
const withHouses = (
  { beginsWithHouseNumber }: SearchRequest,
  corrections: readonly Correction[],
): readonly Correction[] =>
  beginsWithHouseNumber
    ? corrections.flatMap((correction) => {
        const house = dropUnits(correction.words)
        if (house.length === correction.words.length) return [correction]
        const { words, cost, unshortened = words } = correction
        return [correction, { words: [...house], cost: cost + COST_OF_UNIT, unshortened }]
      })
    : corrections

/** A record with the surname as typed must rank first. */
const COST_OF_OTHER_SURNAME = 1

/**
 * A name with the parts of a surname joined, and parted. "mac donald" resembles too many other names, so it is searched at once in one word if the
 * vocabulary has that.
 */
const listSurnames = (
  { words, nameWords, lastWordDone, beginsWithHouseNumber }: SearchRequest,
  vocabulary: Vocabulary,
): Wording[] => {
  const write = (spelled: readonly string[] | null, isSearchedLater: boolean): Wording[] =>
    spelled === null
      ? []
      : [{ ...createWording(spelled.join(' ') + (lastWordDone ? ' ' : ''), COST_OF_OTHER_SURNAME), isSearchedLater }]
  return [
    ...write(joinParticles(words, vocabulary), beginsWithHouseNumber),
    ...write(splitParticles(nameWords, vocabulary), true),
  ]
}

/** Callers seldom want more than one page of them. */
const MAX_LARGE_OWNERS = 20

const findLargeOwners = (request: SearchRequest, vocabulary: Vocabulary): ReadonlyMap<string, number> =>
  mayBeginName(request)
    ? new Map(
        vocabulary
          .findLargeOwners(ownerKey(request.text), MAX_LARGE_OWNERS)
          .map(({ key, parcels }) => [key, parcels] as const),
      )
    : new Map()

/**
 * The search always tries the words without an unknown one, because a nickname has no similar word. But too many records contain the
 * rest of "alle 528" or "614 wxyz st".
 */
const keepLikeliest = (corrections: readonly Correction[]): Correction[] => {
  const least = corrections[0]?.cost ?? 0
  return corrections.filter(({ words, known = words, cost }) =>
    known.length < words.length ? known.some(isDistinctive) : cost <= least + MAX_EXTRA_COST,
  )
}

/** Neither an initial nor a number nor a part of many addresses or names ("st", "llc"). */
const isDistinctive = (word: string): boolean =>
  word.length > 1 && !/^\d+[a-z]?$/.test(word) && !isAddressForm(word) && !isNameForm(word)

/**
 * Whether all words of a query are far more often a street than a name: "main", but not "the main family". With a place, the few names
 * near it rank first.
 */
const isStreetName = ({ words, otherWordings, near }: SearchRequest, vocabulary: Vocabulary): boolean =>
  near === null &&
  otherWordings.length === 0 &&
  words.some(vocabulary.isStreet) &&
  words.every((word) => vocabulary.isStreet(word) || isDirectional(word))

/** Whether both streets of what may be an intersection are far more often streets than names: "main and vassar". */
const isCrossing = ({ uncertainCrossing }: SearchRequest, vocabulary: Vocabulary): boolean =>
  uncertainCrossing.every(
    ({ addressWords }) =>
      addressWords.some((word) => vocabulary.isStreet(word) || isOrdinal(word)) &&
      addressWords.every((word) => vocabulary.isStreet(word) || isAddressForm(word) || isOrdinal(word)),
  )

/** A street of an intersection, with its likeliest spelling if it has unknown words. */
const correctStreet = (street: Wording, vocabulary: Vocabulary): Wording => {
  const [likeliest] = correctWords(street.addressWords, street.lastWordDone, vocabulary, { limit: 1 })
  if (likeliest === undefined) return street
  const { words } = likeliest
  return { ...street, words, nameWords: words, addressWords: words.map(standardizeWord) }
}

/** The vocabulary has no words with digits. */
const findLastWord = (word: string, vocabulary: Vocabulary): SearchRequest['lastWord'] => {
  if (vocabulary.size === 0 || /\d/.test(word)) return 'either'
  if (vocabulary.countOf(word) === 0) return 'unfinished'
  return vocabulary.beginsWord(word) ? 'either' : 'complete'
}

/**
 * Corrections of a query, best first. Its words are corrected by the vocabulary and normalized as names or, with a house number, as
 * addresses. If known words are corrected too, two digits of the house number may be swapped.
 */
const correctQuery = (
  request: SearchRequest,
  vocabulary: Vocabulary,
  options: { limit: number; correctKnownWords: boolean },
): Correction[] => {
  const { nameWords, addressWords, lastWordDone, beginsWithHouseNumber } = request
  if (!beginsWithHouseNumber) return correctWords(nameWords, lastWordDone, vocabulary, options).flatMap(standardizeToo)
  const swapped = !options.correctKnownWords || addressWords.length < 3 ? [] : swapDigits(addressWords[0] ?? '')
  const corrected = correctWords(addressWords, lastWordDone, vocabulary, options)
  return [
    ...corrected.map(standardize),
    ...swapped.map((number) => ({ words: [number, ...addressWords.slice(1)], cost: SWAPPED_DIGITS_COST })),
  ]
}

/**
 * The correction that found the best hit, for the response. Null when a replaced word exists in some record: then the correction found
 * something similar, but the word was not necessarily misspelled. The word still being typed counts as known when a known word begins
 * with it. Also null when it replaces a word with a digit, only moves spaces or drops words, or is a guess (`isGuess`).
 */
export const reportedCorrection = (
  request: Pick<SearchRequest, 'addressWords' | 'nameWords' | 'lastWordDone' | 'beginsWithHouseNumber'>,
  correction: readonly string[] | null,
  vocabulary: Vocabulary,
): string | null => {
  if (correction === null) return null
  const typed = request.beginsWithHouseNumber ? request.addressWords : request.nameWords
  const replaced = typed.filter((word) => !correction.includes(word) && !correction.includes(standardizeWord(word)))
  const isBeingTyped = (word: string) => !request.lastWordDone && word === typed.at(-1)
  const isKnown = (word: string) =>
    /\d/.test(word) ||
    vocabulary.countOf(word) > 0 ||
    // The records may have another form of it: "apt" is "unit".
    isAddressForm(word) ||
    isNameForm(word) ||
    (isBeingTyped(word) && vocabulary.beginsWord(word))
  const isShortened = correction.every((word) => typed.includes(word))
  return isShortened || replaced.some(isKnown) || isGuess(typed, correction) ? null : correction.join(' ')
}

/** In shorter words, one edit or two leave too little of what was typed. */
const SHORTEST_WITH_EDIT = 3
const SHORTEST_WITH_TWO_EDITS = 5

/** Whether a correction is too far from what was typed to show it: "king tom" for "kingdom", "huss" for "usps". */
const isGuess = (typed: readonly string[], correction: readonly string[]): boolean => {
  if (correction.length > typed.length) return correction.join('') !== typed.join('')
  if (correction.length < typed.length) return false
  return typed.some((word, place) => {
    const other = correction[place] ?? ''
    if (word === other || word.length >= SHORTEST_WITH_TWO_EDITS || other.startsWith(word)) return false
    return word.length < SHORTEST_WITH_EDIT || editDistance(word, other, 2) > 1
  })
}

const SWAPPED_DIGITS_COST = 1.5

/** A correction and, if Publication 28 writes it differently, that form too: it may be an address. */
const standardizeToo = (correction: Correction): Correction[] => {
  const standard = standardize(correction)
  return standard.words.some((word, place) => word !== correction.words[place]) ? [correction, standard] : [correction]
}

const standardize = ({ words, known = words, cost }: Correction): Correction => ({
  words: words.map(standardizeWord),
  known: known.map(standardizeWord),
  cost,
  unshortened: words,
})

/** "365" → "635", "356". */
const swapDigits = (number: string): string[] =>
  [...number].flatMap((digit, at) => {
    const before = number[at - 1]
    if (before === undefined || before === digit || !/\d\d/.test(before + digit)) return []
    return [number.slice(0, at - 1) + digit + before + number.slice(at + 1)]
  })
