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
export const splitWords = (text: string): string[] => splitFolded(fold(text))

/** Splits ASCII text by hand: a search splits the fields of hundreds of candidates, and a Unicode regular expression takes ten times as long. */
const splitFolded = (folded: string): string[] => {
  if (!isAscii(folded)) return folded.split(NOT_ALPHANUMERIC).filter(Boolean)
  const words: string[] = []
  let start = -1
  for (let index = 0; index <= folded.length; index++) {
    const unit = folded.charCodeAt(index)
    const isPart = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)
    if (isPart && start < 0) start = index
    else if (!isPart && start >= 0) {
      words.push(folded.slice(start, index))
      start = -1
    }
  }
  return words
}

/** The words of an address. "#4" is a unit without a designator (Publication 28, 213). */
export const splitAddress = (address: string): string[] =>
  splitWords(address.includes('#') ? address.replaceAll('#', ' unit ') : address)

const COMPANY_FORM = /limited|incorporated|corporation|company/
const COMPANY_FORMS: readonly (readonly [RegExp, string])[] = [
  [/ limited liability company /g, ' llc '],
  [/ incorporated /g, ' inc '],
  [/ corporation /g, ' corp '],
  [/ limited /g, ' ltd '],
  [/ company /g, ' co '],
]
const LEFT_OUT = /[.'’`]/

/** Normalizes a name for comparison: like `normalize_name` of the database, with accents folded too. Empty when nothing is left. */
export const normalizeName = (name: string): string => {
  const folded = fold(name)
  const bare = LEFT_OUT.test(folded) ? folded.replace(/[.'’`]/g, '') : folded
  const words = splitFolded(bare.includes('&') ? bare.replaceAll('&', ' and ') : bare).join(' ')
  if (!COMPANY_FORM.test(words)) return words
  let padded = ` ${words} `
  for (const [form, short] of COMPANY_FORMS) padded = padded.replace(form, short)
  return padded.trim()
}

/** An owner's name as the key of a group: ignores case and repeated spaces. */
export const ownerKey = (ownerName: string): string => ownerName.trim().replace(/\s+/g, ' ').toLowerCase()

/** A parcel id without its punctuation, in lower case (`parcel_key` of the database). */
export const parcelKey = (sourceParcelId: string): string =>
  sourceParcelId.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase()

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
