import { randomInt } from 'node:crypto'
import type { PageSet } from '../pages/page-set'

/** Words that may stay, in lower case: labels, and words that the adapter looks for. */
export type Vocabulary = ReadonlySet<string>

/** Replaces names, addresses and numbers. Equal words get equal replacements. */
export interface Anonymizer {
  text: (text: string) => string
  /** Anonymizes a value of any type. Field names stay. */
  value: <Value>(value: Value) => Value
  /** Removes scripts, comments and state from the responses, and replaces the words in their texts and URLs. */
  pageSet: (set: PageSet) => PageSet
}

interface Part {
  text: string
  /** The text is the number of a parcel and is already replaced. */
  isId: boolean
}

/** Amounts, dates and years stay, because alone they do not identify anyone. */
const KEPT_NUMBERS =
  /\$\s?[\d,]+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+%?|\d+%|\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})(?!\d)|\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|(?<!\d)(?:19|20)\d{2}(?!\d)/
const ENTITY = /&(?:#\d+|#x[\da-f]+|[a-z]+\d*);/
const TOKEN = new RegExp(`${ENTITY.source}|${KEPT_NUMBERS.source}|\\d+|[\\p{L}\\p{M}]+`, 'giu')
/** Shorter numbers stay. */
const MIN_DIGITS = 3
/** A shorter word may be part of another word in a URL or a script. */
const MIN_LETTERS_ELSEWHERE = 3
/** Longer values of hidden fields are the state of a form. */
const MAX_FIELD = 200

/**
 * Creates an anonymizer with random replacements. `ids` are numbers of the parcel: a URL can contain their digits without
 * separators.
 */
export const createAnonymizer = (vocabulary: Vocabulary, ids: readonly string[]): Anonymizer => {
  const replaced = new Map<string, string>()

  const replaceWord = (word: string): string => {
    const key = word.toLowerCase()
    const isNumber = /^\d/.test(key)
    if (isNumber ? key.length < MIN_DIGITS : key.length < 2 || vocabulary.has(key)) return word
    const known = replaced.get(key)
    const other = known ?? pickOther(key, isNumber, vocabulary)
    replaced.set(key, other)
    return isNumber ? other : withCaseOf(word, other)
  }
  // The number of a parcel can look like a date, so it is found first, with any separators.
  const numbers = [...new Set(ids.map(joinId))]
    .filter((id) => id.length >= MIN_DIGITS)
    .toSorted((one, other) => other.length - one.length)
    .map((id) => ({ pattern: patternOf(id), other: pickNumber(id) }))
  const replaceIds = (given: string): Part[] =>
    numbers.reduce<Part[]>(
      (parts, { pattern, other }) =>
        parts.flatMap((part) =>
          part.isId
            ? part
            : part.text
                .split(pattern)
                .map((one, index) =>
                  index % 2 === 0 ? { text: one, isId: false } : { text: fill(one, other), isId: true },
                ),
        ),
      [{ text: given, isId: false }],
    )
  const inParts = (given: string, replace: (part: string) => string): string =>
    replaceIds(given)
      .map((part) => (part.isId ? part.text : replace(part.text)))
      .join('')
  const text = (given: string): string =>
    inParts(given, (part) => part.replace(TOKEN, (token) => (isKept(token) ? token : replaceWord(token))))

  /** Replaces only words that were replaced elsewhere. The rest of a URL or a script belongs to the portal. */
  const replaceKnown = (given: string): string =>
    inParts(given, (part) =>
      part.replace(/\d+|[\p{L}\p{M}]+/gu, (token) => {
        const known = replaced.get(token.toLowerCase())
        return known === undefined || token.length < MIN_LETTERS_ELSEWHERE ? token : withCaseOf(token, known)
      }),
    )

  const tag = (given: string): string =>
    given.replace(/([\w:-]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)/g, (_, name: string, sign: string, value: string) => {
      if (/^(?:value|title|alt|content|placeholder|aria-label)$/i.test(name)) {
        return `${name}${sign}${value.length > MAX_FIELD ? '""' : text(value)}`
      }
      return `${name}${sign}${/^(?:href|src|action|on\w+|data-.*)$/i.test(name) ? replaceKnown(value) : value}`
    })
  const html = (body: string): string =>
    body
      .replace(/<!--[\s\S]*?-->/g, '')
      .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
      .split(/(<[^>]*>)/)
      .map((part) => (part.startsWith('<') ? tag(part) : text(part)))
      .join('')
  const value = <Value>(given: Value): Value => {
    if (typeof given === 'string') return (given.includes('<') ? html(given) : text(given)) as Value
    if (typeof given === 'number') return Number(inParts(String(given), (part) => replaced.get(part) ?? part)) as Value
    if (Array.isArray(given)) return given.map(value) as Value
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, value(part)])) as Value
  }
  const body = (given: string): string => {
    try {
      return JSON.stringify(value(JSON.parse(given)))
    } catch {
      return html(given)
    }
  }
  return {
    text,
    value,
    pageSet: ({ source, sourceParcelId, answers }) => {
      // Texts are first, because they determine which words are replaced in URLs.
      const bodies = answers.map((answer) => body(answer.body))
      return {
        source,
        sourceParcelId: text(sourceParcelId),
        answers: answers.map(({ asked, url, ...answer }, index) => ({
          ...answer,
          url: replaceKnown(url),
          asked: { ...asked, url: replaceKnown(asked.url) },
          body: bodies[index] ?? '',
        })),
      }
    },
  }
}

const joinId = (id: string): string => id.replace(/[^\p{L}\p{N}]/gu, '')

/** Matches the number with or without separators, but not as part of a longer number. */
const patternOf = (id: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(${[...id].join('[-. /]?')})(?![\\p{L}\\p{N}])`, 'iu')

/** Another number of the same form. Zeros stay, and so do letters next to digits. */
const pickNumber = (id: string): string => {
  const isWord = !/\d/.test(id)
  for (;;) {
    const other = [...id].map((letter) => (/\d/.test(letter) || isWord ? pickLetter(letter, !isWord) : letter)).join('')
    if (other !== id || /^0*$/.test(id)) return other
  }
}

/** Replaces the letters and digits of `form` with those of `other`. */
const fill = (form: string, other: string): string => {
  const letters = [...other].values()
  return form.replace(/[\p{L}\p{N}]/gu, (letter) => letters.next().value ?? letter)
}

const KEPT = new RegExp(`^(?:${ENTITY.source}|${KEPT_NUMBERS.source})$`, 'iu')
const isKept = (token: string): boolean => KEPT.test(token)

/** Another word of the same length. A number keeps its leading zeros. */
const pickOther = (key: string, isNumber: boolean, vocabulary: Vocabulary): string => {
  for (;;) {
    const other = [...key].map((letter) => pickLetter(letter, isNumber)).join('')
    if (other !== key && !vocabulary.has(other) && !isKept(other)) return other
  }
}

const pickLetter = (letter: string, isNumber: boolean): string => {
  if (!isNumber) return 'bcdfghklmnprstvwz'[randomInt(17)] ?? 'b'
  return letter === '0' ? '0' : String(randomInt(1, 10))
}

const withCaseOf = (word: string, other: string): string => {
  if (word === word.toUpperCase()) return other.toUpperCase()
  const [first = ''] = word
  return first === first.toUpperCase() ? `${other.slice(0, 1).toUpperCase()}${other.slice(1)}` : other
}
