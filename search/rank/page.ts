import { type HitsCursor, hashKey, listShown, MAX_BEFORE, splitKeys } from '../cursor'
import { ownerKey } from '../query/text'
import type { Ranked } from './ranked'

/** The pages of one search show at most this many hits in total. */
export const MAX_HITS = 1_000

/** A hit or a group of hits, by its best member. */
export interface Entry {
  /** Short and unique among the entries of a search. */
  key: string
  best: Ranked
}

/** One page of the entries of a search. */
export interface Page {
  entries: Entry[]
  /** How many entries there are, at most `MAX_HITS`. */
  total: number
  /** Null: the page is the last one. */
  next: Pick<HitsCursor, 'last' | 'shown'> | null
}

/** The owner of a parcel, if parcels are grouped by owner. */
export const ownerOf = ({ candidate }: Ranked): string =>
  candidate.kind === 'parcel' ? ownerKey(candidate.ownerName ?? '') : ''

/** The distinct entries of a ranking, best first. */
export const listEntries = (ranked: readonly Ranked[], group: 'owner' | null): Entry[] => {
  const entries = new Map<string, Entry>()
  for (const best of ranked) {
    const owner = group === null ? '' : ownerOf(best)
    const name = owner === '' ? best.candidate.id : `owner ${owner}`
    if (!entries.has(name)) entries.set(name, { key: hashKey(name), best })
  }
  return [...entries.values()]
}

/**
 * The page of `entries` that starts after `after`. `isDeep`: the entries are from all candidates, and in the same order for all pages.
 * Otherwise later candidates may rank between them, so the next page starts again from the first entry, without those of this page.
 */
export const takePage = (
  entries: readonly Entry[],
  { after, limit, isDeep }: { after: HitsCursor | null; limit: number; isDeep: boolean },
): Page => {
  const reachable = entries.slice(0, MAX_HITS)
  const shown = after === null ? new Set<string>() : listShown(after)
  const rest = reachable.slice(findStart(reachable, after?.last ?? null)).filter(({ key }) => !shown.has(key))
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const total = reachable.length
  if (last === undefined || (isDeep && rest.length <= limit)) return { entries: page, total, next: null }
  const next = isDeep
    ? { last: { score: last.best.score, key: last.key, before: keysBefore(page, last) }, shown: after?.shown ?? '' }
    : { last: null, shown: page.map(({ key }) => key).join('') }
  return { entries: page, total, next }
}

const keysBefore = (page: readonly Entry[], last: Entry): string =>
  page
    .slice(-1 - MAX_BEFORE, -1)
    .filter(({ best }) => best.score === last.best.score)
    .map(({ key }) => key)
    .reverse()
    .join('')

/**
 * After the last entry of the previous page. If it is gone or has another score, because the index changed: after the latest entry before it
 * that is unchanged. If all of them have changed, at the next lower score.
 */
const findStart = (entries: readonly Entry[], last: HitsCursor['last']): number => {
  if (last === null) return 0
  for (const known of [last.key, ...splitKeys(last.before ?? '')]) {
    const place = entries.findIndex(({ key, best }) => key === known && best.score === last.score)
    if (place !== -1) return place + 1
  }
  const lower = entries.findIndex(({ best }) => best.score < last.score)
  return lower === -1 ? entries.length : lower
}
