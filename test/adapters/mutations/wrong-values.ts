import type { ScrapedParcel } from '../../../adapters/adapter'
import { CUT_OFF, keyOf, leavesOf, type Mutated, type Mutation } from './mutate'
import { FILLER_ROW } from './table-changes'

/** Without its best marker, the age of the data can be read from another marker. */
const MAY_DIFFER = /^scrape\.(?:data_as_of|fetched_at)/

export interface Findings {
  /** Each with the path of the value. */
  wrong: string[]
  /** Values that differ because the page says something else now. No reader could know what it said before. */
  unknowable: string[]
}

/**
 * Where a mutated page was read wrong without an error: a value that the original does not have in that place, an empty list in place of
 * entries, more entries than before, or a loss on a page that was cut off. An absent field is not an error, because nothing was claimed.
 */
export const findWrong = (
  read: ScrapedParcel,
  original: ScrapedParcel,
  mutation: Mutation,
  lostWords: Mutated['lost'],
): Findings => {
  const unknowable: string[] = []
  const owners = JSON.stringify(original.fields.ownerNamesAll ?? [])

  /** Why the page itself says something else than before; null if it does not. */
  const excuse = (value: string, before: string, path: string): string | null => {
    // A blank part of an address means that the address has no such part.
    if (lostWords.length > 0 && isWithout(value, before, lostWords)) return 'a part of it is blank on the page'
    // A page without a parcel number: the id that the source uses is the number.
    const isNumberLost = path === 'scrape.parcel_number' && lostWords.join('') === keyOf(before)
    if (isNumberLost) return 'the page has no number'
    // The first owner is the one in the first row.
    const isOwner = /^(?:fields\.ownerName|scrape\.owner_name)$/.test(path) && owners.includes(JSON.stringify(value))
    return mutation === 'rows in reverse order' && isOwner ? 'the page names another owner first' : null
  }

  const compare = (value: unknown, before: unknown, path: string): string[] => {
    if (MAY_DIFFER.test(path) || Bun.deepEquals(value, before)) return []
    if (Array.isArray(value) && Array.isArray(before)) return compareLists(value, before, path)
    if (!isObject(value) || !isObject(before)) {
      if (value === 0 && mutation === FILLER_ROW) {
        unknowable.push(`${path} is 0: it is 0 on the page`)
        return []
      }
      if (typeof value === 'string' && typeof before === 'string') {
        // Line breaks and blanks can separate the same words differently.
        if (keyOf(value) === keyOf(before)) return []
        const reason = excuse(value, before, path)
        if (reason !== null) {
          unknowable.push(`${path} is ${JSON.stringify(value)}: ${reason}`)
          return []
        }
      }
      return [`${path} is ${JSON.stringify(value)}, not ${JSON.stringify(before)}`]
    }
    const at = (name: string) => (path === '' ? name : `${path}.${name}`)
    const lost = Object.keys(before).filter((name) => !(name in value) && !MAY_DIFFER.test(at(name)))
    return [
      ...(mutation === CUT_OFF ? lost.map((name) => `${at(name)} was lost`) : []),
      ...Object.entries(value).flatMap(([name, part]) => compare(part, before[name], at(name))),
    ]
  }

  const compareLists = (values: unknown[], before: unknown[], path: string): string[] => {
    // A blank value means that there are none.
    const words = before.flatMap(leavesOf).flatMap(wordsOf)
    if (values.length === 0 && lostWords.length > 0 && words.every((word) => lostWords.includes(word))) {
      unknowable.push(`${path} is []: it is blank on the page`)
      return []
    }
    if (values.length === 0) return [`${path} is [], not ${before.length} entries`]
    const isLonger = values.length > before.length
    const isShorter = mutation === CUT_OFF && values.length < before.length
    return [
      ...(isLonger || isShorter ? [`${path} has ${values.length} entries, not ${before.length}`] : []),
      ...values.flatMap((entry, index) =>
        before.some((other) => compare(entry, other, '').length === 0)
          ? []
          : [`${path}[${index}] is ${JSON.stringify(entry)}`],
      ),
    ]
  }

  return { wrong: compare(read, original, ''), unknowable }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Whether `value` has all words of `before` in order, except some of `lostWords`. */
const isWithout = (value: string, before: string, lostWords: readonly string[]): boolean => {
  const left = wordsOf(value)
  for (const word of wordsOf(before)) {
    if (left[0] === word) left.shift()
    else if (!lostWords.includes(word)) return false
  }
  return left.length === 0
}

const wordsOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map(keyOf)
    .filter((word) => word !== '')
