import type { SearchRequest } from '../query/query'
import { compareCodePoints, ownerKey } from '../query/text'
import type { Ranked } from './ranked'

/** Best first. Equally good hits are interleaved: the first parcel of each owner, then the second of each, and so on. */
export const orderRanked = (request: SearchRequest, ranked: readonly Ranked[]): Ranked[] => {
  const sorted = ranked.toSorted(compareRanked)
  const ordered: Ranked[] = []
  for (let start = 0; start < sorted.length; ) {
    const first = sorted[start] as Ranked
    let end = start + 1
    while (end < sorted.length && isEquallyGood(request, first, sorted[end] as Ranked)) end++
    ordered.push(...(end === start + 1 ? [first] : mix(request, sorted.slice(start, end))))
    start = end
  }
  return ordered
}

/**
 * A street is closer to a street's name than people with that name are, and an id is closer to a number than a house is. Callers want
 * both among the first hits.
 */
const isEquallyGood = (request: SearchRequest, a: Ranked, b: Ranked): boolean =>
  a.score === b.score &&
  kindOrder(a) === kindOrder(b) &&
  (request.isStreetName || isTwoNumbers(request.text) || a.closeness === b.closeness)

/** "12-16" is a lot on a map, or two houses. */
export const isTwoNumbers = (text: string): boolean => /^\d+-\d+$/.test(text)

const mix = (request: SearchRequest, ranked: readonly Ranked[]): Ranked[] => {
  const counts = new Map<string, number>()
  const rounds: Ranked[][] = []
  for (const one of ranked) {
    const subject = subjectOf(request, one)
    const round = counts.get(subject) ?? 0
    counts.set(subject, round + 1)
    rounds[round] ??= []
    rounds[round].push(one)
  }
  return request.isStreetName ? alternate(request, rounds.flat()) : rounds.flat()
}

/** Streets and owners with the name of the street in turn: a large index has more streets with a name than a page has hits. */
const alternate = (request: SearchRequest, ranked: readonly Ranked[]): Ranked[] => {
  const streets = ranked.filter((one) => !isNamesake(request, one))
  const namesakes = ranked.filter((one) => isNamesake(request, one))
  return ranked.flatMap((_, place) => [...streets.slice(place, place + 1), ...namesakes.slice(place, place + 1)])
}

const isNamesake = ({ words: [word = ''] }: SearchRequest, { candidate }: Ranked): boolean =>
  candidate.kind === 'parcel' && ownerKey(candidate.ownerName ?? '').includes(word)

/** What a hit is an example of: a house, a street, or an owner. One example of each is enough at first. */
const subjectOf = ({ text, isStreetName, words: [word = ''] }: SearchRequest, { candidate, isId }: Ranked): string => {
  if (candidate.kind === 'entity') return candidate.id
  if (isId) return 'an id'
  const owner = ownerKey(candidate.ownerName ?? '')
  const address = ownerKey(candidate.situsAddress ?? '')
  if (/^\d/.test(text)) return address || owner
  if (isStreetName && !owner.includes(word)) return address.replace(/^\S*\d\S* /, '')
  return owner || address
}

/**
 * Higher scores first; then an exact parcel id, parcels before entities, closeness, owners of many parcels, compactness, source, and the id
 * by code point.
 */
export const compareRanked = (a: Ranked, b: Ranked): number => compareInOrder(a, b, kindOrder(a) - kindOrder(b))

/** Like `compareRanked`, with another order of kinds. */
export const compareInOrder = (a: Ranked, b: Ranked, kinds: number): number =>
  b.score - a.score ||
  b.bonuses.exact_parcel_id - a.bonuses.exact_parcel_id ||
  kinds ||
  b.closeness - a.closeness ||
  b.ownedParcels - a.ownedParcels ||
  b.compactness - a.compactness ||
  compareCodePoints(sourceOf(a), sourceOf(b)) ||
  compareCodePoints(idOf(a), idOf(b))

/** Groups of parcels rank between the two. */
export const KIND_ORDER = { parcel: 0, group: 1, entity: 2 } as const

const kindOrder = ({ candidate }: Ranked): number => KIND_ORDER[candidate.kind]
const sourceOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.source : '')
const idOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.sourceParcelId : candidate.id)
