import type { OwnerMembers } from '../../drizzle/queries/search/search-owner-members'
import type { ParcelCandidate } from '../engine'
import { type Annotate, formatParcel, type OwnerGroupHit } from '../hits'
import { compareCodePoints, ownerKey } from '../query/text'
import { compareRanked, type Ranked } from './rank'

export const MOST_MEMBERS = 50

/** Parcels of one owner, best first, with all that the database knows of the owner. */
export interface OwnerGroup {
  members: readonly Ranked<ParcelCandidate>[]
  memberCount: number
  bbox: OwnerGroupHit['bbox']
}

export type GroupedEntry = { kind: 'single'; ranked: Ranked } | { kind: 'group'; group: OwnerGroup }

const isParcel = (ranked: Ranked): ranked is Ranked<ParcelCandidate> => ranked.candidate.kind === 'parcel'

/** The owners whose parcels stand among the first `limit` entries, best first, each once and as the best parcel spells it. */
export const listOwnersToGroup = (ranked: readonly Ranked[], limit: number): string[] => {
  const owners = new Map<string, string>()
  let entries = 0
  for (const { candidate } of ranked) {
    const name = candidate.kind === 'parcel' ? candidate.ownerName : null
    const key = name === null ? '' : ownerKey(name)
    if (name === null || key === '') entries++
    else if (!owners.has(key)) {
      owners.set(key, name)
      entries++
    }
    if (entries >= limit) break
  }
  return [...owners.values()]
}

/**
 * Merges the parcels of each owner. `lookups` has what the database knows of the owners, their parcels ranked like the
 * others (`rankedMembers`); an owner of one parcel stays a plain hit. Best first; `limit` counts entries.
 */
export const groupByOwner = (
  ranked: readonly Ranked[],
  lookups: readonly OwnerMembers[],
  rankedMembers: ReadonlyMap<string, Ranked<ParcelCandidate>>,
  limit: number,
): GroupedEntry[] => {
  const lookupByKey = new Map(lookups.map((lookup) => [ownerKey(lookup.ownerName), lookup] as const))
  const membersByKey = new Map<string, Map<string, Ranked<ParcelCandidate>>>()
  for (const member of [...ranked.filter(isParcel), ...rankedMembers.values()]) {
    const key = ownerKey(member.candidate.ownerName ?? '')
    if (key === '') continue
    const members = membersByKey.get(key) ?? new Map<string, Ranked<ParcelCandidate>>()
    members.set(member.candidate.id, member)
    membersByKey.set(key, members)
  }

  const seen = new Set<string>()
  const entries: GroupedEntry[] = []
  for (const one of ranked) {
    const key = isParcel(one) ? ownerKey(one.candidate.ownerName ?? '') : ''
    if (key === '') {
      entries.push({ kind: 'single', ranked: one })
      continue
    }
    if (seen.has(key)) continue
    seen.add(key)
    const members = [...(membersByKey.get(key)?.values() ?? [])].sort(compareRanked)
    const lookup = lookupByKey.get(key)
    const memberCount = Math.max(members.length, lookup?.memberCount ?? 0)
    entries.push(
      memberCount > 1
        ? { kind: 'group', group: { members: members.slice(0, MOST_MEMBERS), memberCount, bbox: lookup?.bbox ?? null } }
        : { kind: 'single', ranked: one },
    )
  }
  return entries.sort(compareEntries).slice(0, limit)
}

const bestOf = (entry: GroupedEntry): Ranked => {
  const best = entry.kind === 'group' ? entry.group.members[0] : entry.ranked
  if (best === undefined) throw new Error('an owner group has no members')
  return best
}

/** The order of `compareRanked`, with groups between parcels and entities. */
const compareEntries = (a: GroupedEntry, b: GroupedEntry): number => {
  const [first, second] = [bestOf(a), bestOf(b)]
  return (
    second.score - first.score ||
    second.exactIdBonus - first.exactIdBonus ||
    kindOrder(a) - kindOrder(b) ||
    compareCodePoints(sortKey(first).source, sortKey(second).source) ||
    compareCodePoints(sortKey(first).id, sortKey(second).id)
  )
}

const kindOrder = (entry: GroupedEntry): number => {
  if (entry.kind === 'group') return 1
  return entry.ranked.candidate.kind === 'parcel' ? 0 : 2
}

const sortKey = ({ candidate }: Ranked): { source: string; id: string } =>
  candidate.kind === 'parcel'
    ? { source: candidate.source, id: candidate.sourceParcelId }
    : { source: '', id: candidate.id }

/** A group has the score of its best member, and with it that member's explanation; of its texts it shows the name. */
export const formatGroup = ({ members, memberCount, bbox }: OwnerGroup, annotate: Annotate): OwnerGroupHit => {
  const shown = members.map((member) => formatParcel(member, annotate(member)))
  const best = shown[0]
  return {
    kind: 'owner-group',
    owner_name: best?.owner_name ?? '',
    member_count: memberCount,
    members: shown,
    bbox,
    score: best?.score ?? 0,
    ...(best?.explain === undefined ? {} : { explain: best.explain }),
    ...(best?.highlight === undefined ? {} : { highlight: pickOwnerName(best.highlight) }),
  }
}

const pickOwnerName = ({ owner_name }: Record<string, string>): Record<string, string> =>
  owner_name === undefined ? {} : { owner_name }
