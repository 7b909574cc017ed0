import { writeOrdinals } from './address'
import { createWordFilter } from './word-filter'

/** Lower case, without accents: "Peña" and "PENA" are equal. */
export const fold = (text: string): string => {
  const lower = text.toLowerCase()
  // Most text is ASCII, for which the costly part is unnecessary.
  return isAscii(lower) ? lower : lower.normalize('NFD').replace(/\p{M}+/gu, '')
}

const isAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

const NOT_ALPHANUMERIC = /[^\p{L}\p{N}]+/u

/** The words of a text, as for trigrams: folded, split at every character that is not a letter or digit. */
export const splitWords = (text: string): string[] => splitLower(text.toLowerCase())

/**
 * Splits ASCII text by hand: a search splits the fields of hundreds of candidates, and a Unicode regular expression takes ten times as long.
 */
const splitLower = (lower: string): string[] => {
  const words: string[] = []
  let start = -1
  for (let index = 0; index < lower.length; index++) {
    const unit = lower.charCodeAt(index)
    if (unit > 127) return fold(lower).split(NOT_ALPHANUMERIC).filter(Boolean)
    const isPart = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)
    if (isPart && start < 0) start = index
    else if (!isPart && start >= 0) {
      words.push(lower.slice(start, index))
      start = -1
    }
  }
  if (start >= 0) words.push(lower.slice(start))
  return words
}

/** Matches every spelling of a PO box. Few addresses match, so the slower expression is seldom needed. */
const MAY_BE_BOX = /bo?x|pob/i
const PO_BOX = /\b(?:p\.?\s?o\.?\s?(?:box|bx)|pob(?:ox)?|post office box)\b\.?\s*#?/gi

/** "N.E." is "NE". */
const DOTTED_DIRECTION = /\b([ns])\.([ew])\b\.?/gi

/** Every spelling of a rural route before its number is "rr" (Publication 28, 24). */
const RURAL_ROUTE = /\b(?:rural (?:route|rte?)|r\. ?r\.|rfd)(?= ?#?\d)/gi

/** The words of an address. "#4" is a unit without a designator (Publication 28, 213); every spelling of a PO box is "po box" (28), and of a rural route "rr". "twenty fifth" is "25th". */
export const splitAddress = (address: string): string[] => {
  const undotted = address.includes('.') ? address.replace(DOTTED_DIRECTION, '$1$2') : address
  const numbered = writeOrdinals(undotted)
  const boxed = MAY_BE_BOX.test(numbered) ? numbered.replace(PO_BOX, ' po box ').replace(RURAL_ROUTE, 'rr ') : numbered
  return splitWords(boxed.includes('#') ? boxed.replaceAll('#', ' unit ') : boxed)
}

/** Rolls abbreviate it, or cut it off where their field ends. */
const ASSOCIATION = ['assn', 'assoc', 'association', 'associatio', 'associati', 'associat', 'associa', 'associ', 'asso']

const SCHOOL_DISTRICTS = ['independent', 'indep', 'ind'].flatMap((word) =>
  ['district', 'dist'].map((district) => `${word} school ${district}`),
)

/** Words of names with more than one spelling: the one that is compared, then the others. Phrases are separated by commas. */
const NAME_FORMS: Readonly<Record<string, string>> = {
  // Companies
  llc: 'limited liability company, limited liability co, ltd liability company, ltd liability co, l l c',
  pllc: 'professional limited liability company, professional limited liability co, p l l c',
  llp: 'limited liability partnership, l l p',
  lp: 'limited partnership, ltd partnership, l p',
  pc: 'professional corporation, professional corp, p c',
  inc: 'incorporated, incorp',
  corp: 'corporation',
  ltd: 'limited',
  co: 'company',
  // Associations and banks
  assn: ASSOCIATION.slice(1).join(', '),
  // Not "hoa", which is also a person's name.
  homeowners: [...ASSOCIATION.flatMap((word) => [`homeowners ${word}`, `home owners ${word}`]), 'hoa', 'h o a'].join(
    ', ',
  ),
  na: [...ASSOCIATION.map((word) => `national ${word}`), 'n a'].join(', '),
  // Government
  us: 'united states, u s',
  usa: 'united states of america, u s a',
  dept: 'department',
  dist: 'district',
  univ: 'university',
  govt: 'government',
  isd: SCHOOL_DISTRICTS.join(', '),
  // People
  jr: 'junior',
  sr: 'senior',
  // Trusts and estates
  trust: 'tr, trst',
  trustee: 'ttee, ttees, trustees, trs',
  family: 'fam, fmly',
  revocable: 'rev, revoc',
  irrevocable: 'irrev, irrevoc',
  living: 'liv, lvg',
  estate: 'est',
  // Ordinals, mostly of churches
  first: '1st',
  second: '2nd',
  third: '3rd',
  fourth: '4th',
  fifth: '5th',
  // Places in names
  saint: 'st',
  mount: 'mt',
  fort: 'ft',
}
const MAX_PHRASE = 4

const formByPhrase: ReadonlyMap<string, string> = new Map(
  Object.entries(NAME_FORMS).flatMap(([form, phrases]) => phrases.split(', ').map((phrase) => [phrase, form] as const)),
)
/** The first words of phrases, of one word or several. */
const formStarts: ReadonlySet<string> = new Set([...formByPhrase.keys()].map((phrase) => phrase.split(' ')[0] ?? ''))
const mayBeginForm = createWordFilter(formStarts)
/** The first words of phrases of several words. */
const phraseStarts: ReadonlySet<string> = new Set(
  [...formByPhrase.keys()].filter((phrase) => phrase.includes(' ')).map((phrase) => phrase.split(' ')[0] ?? ''),
)

const formWords: ReadonlySet<string> = new Set(
  [...formByPhrase].flatMap(([phrase, form]) => [form, ...phrase.split(' ')]),
)

/** Whether a lower case word is part of a company form or of another word in `NAME_FORMS`. */
export const isNameForm = (word: string): boolean => formWords.has(word)

const LEFT_OUT = /[.'’`]/

/** The words of a name, as written: "O'Neil & Co." has "oneil", "and", "co". */
export const splitName = (name: string): string[] => {
  const folded = fold(name)
  const bare = LEFT_OUT.test(folded) ? folded.replace(/[.'’`]/g, '') : folded
  return splitLower(bare.includes('&') ? bare.replaceAll('&', ' and ') : bare)
}

/** The words of a name with one spelling for each form: "L L C" and "limited liability company" are "llc". The same list if there is no form. */
export const standardizeName = (words: readonly string[]): readonly string[] => {
  if (!words.some((word) => mayBeginForm(word) && formStarts.has(word))) return words
  const standard: string[] = []
  for (let place = 0; place < words.length; ) {
    const word = words[place] ?? ''
    let used = 1
    let form = formByPhrase.get(word)
    for (let count = phraseStarts.has(word) ? MAX_PHRASE : 1; count > 1; count--) {
      const phrase = formByPhrase.get(words.slice(place, place + count).join(' '))
      if (place + count > words.length || phrase === undefined) continue
      form = phrase
      used = count
      break
    }
    standard.push(form ?? word)
    place += used
  }
  return standard
}

/** The words of a name as trigrams split them, and normalized. The same list twice if they are equal. */
export const splitNameBothWays = (name: string): [written: readonly string[], normalized: readonly string[]] => {
  const written = splitWords(name)
  const normalized = standardizeName(SPLIT_OTHERWISE.test(name) ? splitName(name) : written)
  return [written, isSame(written, normalized) ? written : normalized]
}

const SPLIT_OTHERWISE = /[.'’`&]/

/** Whether two lists have the same words in the same order. */
export const isSame = (a: readonly string[], b: readonly string[]): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let place = 0; place < a.length; place++) if (a[place] !== b[place]) return false
  return true
}

/** Normalizes a name for comparison, with more forms than `normalize_name` of the database. Empty when nothing is left. */
export const normalizeName = (name: string): string => standardizeName(splitName(name)).join(' ')

/** An owner's name as the key of a group: ignores case and repeated spaces. */
export const ownerKey = (ownerName: string): string => {
  const trimmed = ownerName.trim()
  return (UNUSUAL_SPACE.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed).toLowerCase()
}

const UNUSUAL_SPACE = /\s\s|[^\S ]/

/** A parcel id without its punctuation, in lower case (`parcel_key` of the database). */
export const parcelKey = (sourceParcelId: string): string =>
  isAscii(sourceParcelId)
    ? splitLower(sourceParcelId.toLowerCase()).join('')
    : sourceParcelId.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase()

/** Compares by code point: by UTF-16 unit, an astral character would sort before U+E000–U+FFFF. */
export const compareCodePoints = (a: string, b: string): number => {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    if (a.charCodeAt(index) !== b.charCodeAt(index)) {
      // Two strings that differ within a surrogate pair differ at its second half.
      const start =
        index > 0 && isLowSurrogate(a.charCodeAt(index)) && isLowSurrogate(b.charCodeAt(index)) ? index - 1 : index
      return (a.codePointAt(start) ?? 0) - (b.codePointAt(start) ?? 0)
    }
  }
  return a.length - b.length
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
