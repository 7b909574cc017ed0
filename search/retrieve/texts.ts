import {
  dropUnits,
  houseNumberOf,
  isHouseNumber,
  isInitialAndName,
  isOrdinal,
  isPoBox,
  isStreet,
  isStreetSuffix,
  standardizeWord,
} from '../query/address'
import { isParticle } from '../query/name-particles'
import type { SearchRequest } from '../query/query'
import { completeForm, completeStreet } from '../query/spellings'
import type { Wording } from '../query/wording'

/** Meilisearch ignores further words of a query. */
const MAX_WORDS = 10
/** Near a place, only the likeliest texts are searched: each is searched once per ring. */
const MAX_CORRECTIONS_NEAR = 2
/** Without its house number, the street is searched as typed and as corrected. */
const MAX_STREETS = 2
/** Entities are a tenth of all documents, so less likely spellings are searched only among parcels. */
const MAX_CORRECTIONS_OF_ENTITIES = 3

/** Words to search for. `all`: every word is required; `last`: Meilisearch drops words from the end until enough documents match. */
interface Text {
  q: string
  matchingStrategy: 'all' | 'last'
  /** A smaller limit than for other texts. */
  limit?: number
  /** The `q` of a wider text, which also matches everything that this one matches. Set by `distinctTexts`. */
  within?: string
  /** The fields to search. Default: all. */
  attributesToSearchOn?: string[]
  /** Only houses with the nearest numbers to this one. */
  nearestTo?: number
  /** Searched only if no text with `enough` finds that many hits, because those score higher. */
  isSpare?: boolean
  enough?: number
}

/**
 * The texts to search for. Names and addresses are normalized differently (often with the same result). A quoted word is searched
 * exactly. An unquoted one is also searched with typos and, at the end, as a prefix, which takes five to ten times as long.
 */
export const createTexts = (request: SearchRequest): Text[] => {
  const texts = { strict: strictTexts, relaxed: relaxedTexts, fuzzy: fuzzyTexts }[request.matchLevel](request)
  return distinctTexts(texts)
}

/** Removes duplicates. Each text refers to the first earlier text that has only some of its words. */
const distinctTexts = (texts: readonly Text[]): Text[] => {
  const distinct = new Map<string, Text>()
  /** The words of each text that may be wider than another. */
  const wide: { q: string; words: readonly string[] }[] = []
  for (const text of texts) {
    if (text.q.trim() === '') continue
    const key = `${text.q} in ${text.attributesToSearchOn?.join() ?? 'all'} near ${text.nearestTo ?? 'any'}`
    if (distinct.has(key)) continue
    const words = text.q.split(' ')
    const wider = wide.find((other) => matchesAll(other.words, words))
    distinct.set(key, wider === undefined ? text : { ...text, within: wider.q })
    const searchesAll = text.matchingStrategy === 'all' && text.attributesToSearchOn === undefined
    if (wider === undefined && searchesAll) wide.push({ q: text.q, words })
  }
  return [...distinct.values()]
}

/** Whether a text with the words `wide` matches every document that has all of `words`. An unquoted last word also matches the quoted one. */
const matchesAll = (wide: readonly string[], words: readonly string[]): boolean =>
  wide.every((word, place) => words.includes(word) || (place === wide.length - 1 && words.includes(`"${word}"`)))

const strictTexts = (request: SearchRequest): Text[] => [
  ...textsOfWording(request, request),
  ...request.otherWordings
    .filter(({ isSearchedLater }) => isSearchedLater !== true)
    .flatMap((wording) => textsOfWording(request, wording).map((text) => ({ ...fewer(request), ...text }))),
  ...textsOfCorrections(request),
]

const textsOfWording = (request: SearchRequest, wording: Wording): Text[] => {
  const { words, addressWords, lastWordDone, beginsWithHouseNumber } = wording
  if (wording.isStreetOfCrossing === true) {
    const lots = { limit: LOTS_OF_A_STREET, attributesToSearchOn: ['address'] }
    return [{ ...exactly(addressWords, isLastDone(request, wording, addressWords)), ...lots }]
  }
  const texts = spellings(wording).flatMap((spelled, place): Text[] => {
    const asTyped = exactly(spelled, isLastDone(request, wording, spelled))
    const isAddress = beginsWithHouseNumber || place > 0 || isStreet(spelled)
    // The few names that contain this single word would be lost among streets and cities.
    const found: Text[] = isBeginningOfName(wording)
      ? [
          { ...asTyped, ...few(request), isSpare: isBestByName(request) },
          { ...asTyped, attributesToSearchOn: ['name'], isSpare: true },
        ]
      : [asTyped]
    // In a search of all fields, an address would be lost among names and cities with its words.
    if (isAddress) found.push({ ...asTyped, ...fewer(request), attributesToSearchOn: ADDRESS_FIELDS })
    if (!lastWordDone && isNumberAlone(spelled)) {
      const houses = { limit: HOUSES_OF_A_NUMBER, enough: few(request).limit, attributesToSearchOn: ['address'] }
      return [
        { ...asTyped, isSpare: true },
        { ...exactly(spelled, true), ...houses },
        { ...asTyped, ...few(request), attributesToSearchOn: ['name'] },
      ]
    }
    if (lastWordDone || spelled.join('').length < 3) return found
    const standard = isAddress ? spelled.map(standardizeWord) : spelled
    const isAsTyped = standard.join(' ') === spelled.join(' ')
    if (isAsTyped && (request.lastWord === 'unfinished' || isNarrow(spelled))) return found
    // Otherwise exact matches of the last word would be lost among prefix matches.
    // A street would be lost among names and cities with its words: every address in Cambridge has "cambridge".
    const isStreetAlone = request.isStreetName || (!beginsWithHouseNumber && isStreetSuffix(spelled.at(-1) ?? ''))
    found.push({
      ...exactly(standard, true),
      ...fewer(request),
      ...(isStreetAlone ? { attributesToSearchOn: ['address'] } : {}),
    })
    return found
  })
  const completed = completeForm(wording)
  // The last word of an address is never "saint" or "fort".
  const isForm = completed !== wording.nameWords && !(beginsWithHouseNumber && isStreetSuffix(words.at(-1) ?? ''))
  if (isForm) texts.push({ ...exactly(completed, true), ...fewer(request) })
  // "jackson second" and "second" may be the street 2nd, although no suffix follows.
  const street = completeStreet(wording)
  if (street !== wording.addressWords && isOrdinal(street.at(-1) ?? ''))
    texts.push({ ...exactly(street, true), ...fewer(request) })
  if (isNameAndNumber(words)) texts.push(exactly(words.toReversed(), false))
  const names = wording.nameWords.filter((word) => !isParticle(word))
  if (hasInitial(wording) && !request.isStreetName && names.length <= MAX_WORDS_WITH_OPEN_INITIAL)
    texts.push(completeInitial(wording))
  return texts
}

/** The text has so many words that few records match them all, even with the last word as a prefix. */
const isNarrow = (words: readonly string[]): boolean =>
  words.length >= 3 && (words.at(-1) ?? '').length >= 3 && !isPoBox(words)

/** Candidates of one query among several, if the caller wants fewer hits. */
const FEW = 20

const MIN_LETTERS_OF_NAME = 2

/** Enough to find all houses with this number in a smaller county, so that they stay among the hits while the caller types the street. */
const HOUSES_OF_A_NUMBER = 100

/** Enough to find some lots of both streets at most corners, and on most streets a house whose number has one digit more. */
const LOTS_OF_A_STREET = 200

/** Meilisearch finds no typos in shorter words. */
const MIN_LETTERS_OF_TYPO = 3

const isNumberAlone = (words: readonly string[]): boolean => words.length === 1 && isHouseNumber(words[0] ?? '')

/** Whether the query is one word of letters that is still being typed. Thousands of records may contain a word that begins with it. */
export const isBeginningOfName = ({ words: [word = '', ...others], lastWordDone }: Wording): boolean =>
  others.length === 0 && !lastWordDone && word.length >= MIN_LETTERS_OF_NAME && !/\d/.test(word)

/** Whether names that begin with the query score higher than anything else with its words. Near a place, nearer records score higher. */
const isBestByName = ({ isStreetName, near }: SearchRequest): boolean => !isStreetName && near === null

const ADDRESS_FIELDS = ['address', 'city']

/** In longer names, the caller seldom knows only the initial of a first name, so it is completed only at the next level. */
const MAX_WORDS_WITH_OPEN_INITIAL = 2

/** "j smith": Meilisearch completes only the last word, so the initial goes there. */
const hasInitial = ({ nameWords, beginsWithHouseNumber }: Wording): boolean =>
  !beginsWithHouseNumber &&
  (!isStreet(nameWords) || isInitialAndName(nameWords)) &&
  nameWords.length > 1 &&
  nameWords.slice(0, -1).some(isInitial)

const isInitial = (word: string): boolean => /^\p{L}$/u.test(word)

const completeInitial = ({ nameWords }: Wording): Text => {
  const others = nameWords.filter((word) => !isInitial(word))
  return exactly([...others, nameWords.find(isInitial) ?? ''], false)
}

/** The texts to search for among entities, which have no address. */
export const textsOfEntities = (asked: SearchRequest): Text[] => {
  const request = { ...asked, corrections: asked.corrections.slice(0, MAX_CORRECTIONS_OF_ENTITIES) }
  const texts = request.beginsWithHouseNumber ? textsOfHouse(request) : createTexts(request)
  return texts.flatMap(({ isSpare, ...text }) => (text.attributesToSearchOn === undefined ? [text] : []))
}

/** Few company names contain a house number. Those that do spell the street as the registry does. Misspelled ones are found with typos. */
const textsOfHouse = (request: SearchRequest): Text[] => {
  const { matchLevel, addressWords, nameWords } = request
  if (matchLevel === 'relaxed') return []
  if (matchLevel === 'fuzzy') return fuzzyTexts(request).slice(0, 1)
  const asTyped = [addressWords, nameWords].map((spelled) => exactly(spelled, isLastDone(request, request, spelled)))
  return distinctTexts(asTyped)
}

const textsOfCorrections = (request: SearchRequest): Text[] =>
  request.corrections.map(({ words, known = words }) => ({
    ...exactly(known, isLastDone(request, request, known)),
    // The caller means one of several alternatives.
    ...fewer(request),
  }))

/**
 * Whether one parcel per owner is enough, because the database returns the others. Near a place, all are candidates, so that a group
 * shows the nearest ones.
 */
export const isOnePerOwner = ({ group, near }: SearchRequest): boolean => group === 'owner' && near === null

/** As many candidates as the response has hits, but at least FEW. */
export const few = ({ limit }: SearchRequest): { limit: number } => ({ limit: Math.max(FEW, limit) })

/** Like `few`, but many if an owner's parcels become one entry. */
export const fewer = (request: SearchRequest): Pick<Text, 'limit'> =>
  request.group === null || isOnePerOwner(request) ? few(request) : {}

export const textsNear = (request: SearchRequest): Text[] => {
  const texts = [...spellings(request), ...request.corrections.slice(0, MAX_CORRECTIONS_NEAR).map(({ words }) => words)]
  return texts.map((words) => exactly(words, isLastDone(request, request, words)))
}

/**
 * The query without each of its words, and with each of them replaced. The query without a word also finds its replacements, so most
 * replacements are not sent.
 */
const relaxedTexts = (request: SearchRequest): Text[] => {
  const later = request.otherWordings.filter(({ isSearchedLater }) => isSearchedLater === true)
  const texts = [
    ...later.map(({ addressWords }) => ({ ...exactly(addressWords, true), ...fewer(request) })),
    ...textsOfCorrections(request),
  ]
  if (hasInitial(request)) texts.push(completeInitial(request))
  const [spelled = []] = spellings(request)
  if (spelled.length < 2 || spelled.length > MAX_WORDS) return texts
  const withoutOne = spelled.map((_, place) => {
    const others = spelled.filter((_, other) => other !== place)
    return exactly(others, place === others.length || isLastDone(request, request, others))
  })
  if (!request.beginsWithHouseNumber) return [...withoutOne, ...texts]
  const [number = '', ...street] = spelled
  // A number has too many neighbors to list them all.
  const withTypos: Text = { q: `${number} ${quoteWords(street, true)}`, matchingStrategy: 'all' }
  const [typedStreet, ...others] = withoutOne
  const ofTyped = typedStreet === undefined ? [] : [{ ...typedStreet, ...fewer(request) }]
  return [...ofTyped, ...others, withTypos, ...texts, ...nearestHouses(request)]
}

const fuzzyTexts = (request: SearchRequest): Text[] => {
  const { words, nameWords, lastWordDone, corrections } = request
  // Meilisearch also treats a word followed by a space as complete.
  const spell = (spelled: readonly string[]): Text => ({
    q: spelled.slice(0, MAX_WORDS).join(' ') + (lastWordDone ? ' ' : ''),
    matchingStrategy: 'last',
  })
  const texts = [...spellings(request), ...corrections.slice(0, 2).map((correction) => correction.words)].map(spell)
  // Meilisearch drops words from the end: put each word there in turn, so that the others suffice.
  if (words.length > 1) {
    for (const [index, word] of nameWords.entries()) {
      texts.push(spell([...nameWords.filter((_, other) => other !== index), word]))
    }
  }
  return texts
}

/**
 * The street as typed and corrected, with the houses whose numbers are nearest to the typed one, because the street may have no house
 * with that number: "690 mass ave". A street without a city after it is searched only in addresses, because every parcel in Cambridge
 * has "cambridge". A second text allows typos in the number.
 */
const nearestHouses = (request: SearchRequest): Text[] => {
  const [number = ''] = request.addressWords
  const nearestTo = houseNumberOf(number)
  if (nearestTo === null) return []
  const streets = [request.addressWords, ...request.corrections.map(({ words }) => words)]
    .map(dropUnits)
    .filter(([number = '', ...street]) => isHouseNumber(number) && street.length > 0)
    // A range has two numbers: "12-16 oak st".
    .map(([, end = '', ...others]) => (others.length > 0 && /^\d+$/.test(end) ? others : [end, ...others]))
  // Most corrections are of the house number.
  const distinct = [...new Map(streets.map((street) => [street.join(' '), street])).values()].slice(0, MAX_STREETS)
  return distinct.flatMap((street) => [
    {
      ...exactly(street, isLastDone(request, request, street)),
      ...(number.length < MIN_LETTERS_OF_TYPO ? { limit: LOTS_OF_A_STREET } : few(request)),
      attributesToSearchOn: isStreetSuffix(street.at(-1) ?? '') ? ['address'] : ADDRESS_FIELDS,
      nearestTo,
    },
    { q: `${number} ${quoteWords(street, true)}`, matchingStrategy: 'all' },
  ])
}

/** The words as typed, and normalized as names and as addresses. */
const spellings = ({ words, nameWords, addressWords, beginsWithHouseNumber }: Wording): (readonly string[])[] => {
  if (beginsWithHouseNumber) return [addressWords]
  // In "se johnson st 97123", "st" is not "saint".
  const hasOtherSuffix = addressWords.some((word) => isStreetSuffix(word) && !nameWords.includes(word))
  return words.join(' ') === addressWords.join(' ') && !hasOtherSuffix ? [nameWords] : [nameWords, addressWords]
}

const exactly = (words: readonly string[], lastWordDone: boolean): Text => ({
  q: quoteWords(words.slice(0, MAX_WORDS), lastWordDone || words.length > MAX_WORDS),
  matchingStrategy: 'all',
})

const quoteWords = (words: readonly string[], lastWordDone: boolean): string =>
  words.map((word, place) => (lastWordDone || place < words.length - 1 ? `"${word}"` : word)).join(' ')

/** Whether the last word is complete: not still being typed, or unable to become a longer one. */
const isLastDone = (
  { lastWord }: SearchRequest,
  { words, nameWords, lastWordDone }: Wording,
  spelled: readonly string[],
): boolean =>
  lastWordDone ||
  lastWord === 'complete' ||
  // "o'd" is "o", "d" as typed and "od" as a name.
  (spelled.at(-1) !== words.at(-1) && spelled.at(-1) !== nameWords.at(-1))

/** "smit 1064": a name, perhaps unfinished, and a house number. Meilisearch completes only the last word, so the name goes there. */
const isNameAndNumber = (words: readonly string[]): boolean =>
  words.length === 2 && /^\D/.test(words[0] ?? '') && isHouseNumber(words[1] ?? '')
