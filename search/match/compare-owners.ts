import { editDistance } from '../query/edit-distance'
import { isNameForm, normalizeName } from '../query/text'

/** The words of an owner's name, for comparison in sets. */
export interface OwnerName {
  words: readonly string[]
  /** All words without spaces: equal for names that differ only in spaces. */
  joined: string
  /** The words in alphabetical order: equal for "SMITH JOHN" and "John Smith". */
  sorted: string
}

/** Words that do not identify the owner. */
const FILLERS: ReadonlySet<string> = new Set(['and', 'et', 'al', 'ux', 'the', 'of', 'etal', 'etux'])

export const readOwner = (text: string): OwnerName | null => {
  const words = normalizeName(text)
    .split(' ')
    .filter((word) => word !== '' && !FILLERS.has(word))
  if (words.length === 0) return null
  return { words, joined: words.join(''), sorted: words.toSorted().join(' ') }
}

const ORDINALS: ReadonlySet<string> = new Set(['first', 'second', 'third', 'fourth', 'fifth'])

/** Company forms and words of trusts are often left out or shortened. "First" and "second" are names. */
export const isForm = (word: string): boolean => isNameForm(word) && !ORDINALS.has(word)

/** Companies of two kinds are two companies, even if their names are equal otherwise. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['llc', 'llc'],
  ['inc', 'corporation'],
  ['corp', 'corporation'],
  ['lp', 'partnership'],
  ['llp', 'partnership'],
])

const kindsOf = ({ words }: OwnerName): string[] => words.flatMap((word) => KINDS.get(word) ?? [])

/** "acme llc" is neither "acme inc" nor "acme 2 llc". */
const isOtherCompany = (asked: OwnerName, owner: OwnerName): boolean => {
  const [kinds, theirs] = [kindsOf(asked), kindsOf(owner)]
  if (kinds.length === 0 || theirs.length === 0) return false
  const isNumber = (word: string) => /^(?:\d+|[ivx]{2,})$/.test(word)
  return (
    !kinds.some((kind) => theirs.includes(kind)) ||
    owner.words.some((word) => isNumber(word) && !asked.words.includes(word))
  )
}

/** The cost of each difference between two names. Above `MOST`, the names differ. */
const COST = { middle: 0.03, initial: 0.09, near: 0.05, far: 0.1, form: 0.03, extra: 0.05, cut: 0.02 } as const
const MOST = 0.2
/** Rolls cut names at about 30 characters, often within a word. */
const CUT_CHARACTERS = 28

/**
 * The difference between a name in a list and an owner in a roll: 0 if they are equal, at most 0.2; null if the names differ. The
 * roll's name must contain every word of the list's name, as written, as its initial or with a typo. It can have more words.
 */
export const compareOwners = (asked: OwnerName, owner: OwnerName): number | null => {
  if (asked.joined === owner.joined || asked.sorted === owner.sorted) return 0
  if (isOtherCompany(asked, owner)) return null
  const free = [...owner.words]
  let cost = 0
  const open: string[] = []
  for (const word of asked.words) {
    const at = free.indexOf(word)
    if (at >= 0) free.splice(at, 1)
    else open.push(word)
  }
  const isCut = owner.joined.length + owner.words.length >= CUT_CHARACTERS
  const end = owner.words.at(-1) ?? ''
  let found = asked.words.filter((word) => word.length > 1).length - open.filter((word) => word.length > 1).length
  let initials = 0
  for (const word of open) {
    let best: { at: number; cost: number } | null = null
    for (const [at, theirs] of free.entries()) {
      const difference = isCut && theirs === end && word.startsWith(theirs) ? COST.cut : compareWords(word, theirs)
      if (difference !== null && (best === null || difference < best.cost)) best = { at, cost: difference }
    }
    // "john b" is not "john a", and "acme 1" is not "acme 2".
    if (best === null && word.length === 1 && free.some((theirs) => theirs.length === 1)) return null
    if (best !== null) {
      free.splice(best.at, 1)
      cost += best.cost
      if (best.cost === COST.initial) initials++
      else found++
    } else if (isForm(word) || isMisspelledForm(word) || word.length === 1) cost += COST.form
    // The roll lacks the words after the cut.
    else if (isCut && open.indexOf(word) === open.length - 1) cost += COST.extra
    else return null
    if (cost > MOST) return null
  }
  const isOpen = free.some((word) => word.length > 1 && !isForm(word))
  // One of several words is not enough, and an initial does not match another surname.
  if (found === 0 || (isOpen && (asked.words.length === 1 || (initials > 0 && found < 2)))) return null
  for (const word of free) cost += word.length === 1 || isForm(word) ? COST.middle : COST.extra
  return cost > MOST ? null : cost
}

const LONG_FORMS = 'limited liability company incorporated corporation partnership trustee revocable'.split(' ')
const SHORT_FORMS = 'trust family living estate'.split(' ')

/** Whether a word may be a misspelled form: "trsut", "limitde". It may also be a name. */
export const isMisspelledForm = (word: string): boolean =>
  word.length > 3 &&
  !isForm(word) &&
  (SHORT_FORMS.some((form) => editDistance(word, form, 1) <= 1) ||
    (word.length > 4 && LONG_FORMS.some((form) => editDistance(word, form, 2) <= 2)))

const compareWords = (asked: string, theirs: string): number | null => {
  if (asked.length === 1 || theirs.length === 1) return asked[0] === theirs[0] ? COST.initial : null
  if (/\d/.test(asked) || /\d/.test(theirs)) return null
  const most = asked.length >= 7 ? 2 : asked.length >= 4 ? 1 : 0
  const distance = editDistance(asked, theirs, most)
  if (distance > most) return null
  return distance < 2 ? COST.near : COST.far
}
