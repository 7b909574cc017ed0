import type { ScrapedParcel } from '../../../adapters/adapter'
import type { Mutation } from './mutate'

/** Without its best marker, the age of the data may come from another one. */
const MAY_DIFFER = /^scrape\.(?:data_as_of|fetched_at)/

/**
 * Where a mutated page was read silently wrong: a value that the original does not have in that place, an empty list in place of
 * entries, or a loss on a page that was cut off. A field that is absent is no error: nothing was claimed.
 */
export const findWrong = (read: ScrapedParcel, original: ScrapedParcel, mutation: Mutation): string[] =>
  compare(read, original, '', mutation)

const compare = (read: unknown, original: unknown, path: string, mutation: Mutation): string[] => {
  if (MAY_DIFFER.test(path) || Bun.deepEquals(read, original)) return []
  if (Array.isArray(read) && Array.isArray(original)) {
    if (read.length === 0) return [`${path} is [], not ${original.length} entries`]
    const lost = mutation === 'cut off' && read.length < original.length ? [`${path} lost entries`] : []
    const foreign = read.flatMap((entry, index) =>
      original.some((other) => compare(entry, other, '', mutation).length === 0)
        ? []
        : [`${path}[${index}] is ${JSON.stringify(entry)}`],
    )
    return [...lost, ...foreign]
  }
  if (typeof read !== 'object' || read === null || typeof original !== 'object' || original === null) {
    return isSameText(read, original) ? [] : [`${path} is ${JSON.stringify(read)}, not ${JSON.stringify(original)}`]
  }
  const lost =
    mutation === 'cut off'
      ? Object.keys(original).flatMap((name) =>
          name in read || MAY_DIFFER.test(`${path}.${name}`) ? [] : [`${path}.${name} was lost`],
        )
      : []
  return [
    ...lost,
    ...Object.entries(read).flatMap(([name, value]) =>
      compare(value, original[name as keyof typeof original], path === '' ? name : `${path}.${name}`, mutation),
    ),
  ]
}

/** Line breaks and blanks may part the same words in another way. */
const isSameText = (read: unknown, original: unknown): boolean =>
  typeof read === 'string' && typeof original === 'string' && keyOf(read) === keyOf(original)

const keyOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
