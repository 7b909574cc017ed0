import { waitAtMost } from '../../core/concurrency/wait-at-most'
import type { Bbox } from '../../core/geometry/bbox'
import type { Read } from '../../core/postgres/replicas/reads'
import { listOwnerMembers, type OwnerMembers } from '../../drizzle/queries/search/search-owner-members'
import type { ParcelCandidate } from '../engine'
import type { SearchRequest } from '../query/query'
import { ownerKey } from '../query/text'
import { readParcelRow } from '../retrieve/postgres'
import { compareInOrder, compareRanked, KIND_ORDER } from './order'
import { type Entry, ownerOf } from './page'
import { rankInTurns } from './rank'
import type { Ranked } from './ranked'

const MAX_MEMBERS = 50

/** Parcels of one owner, best first, with the owner's totals from the database. */
export interface OwnerGroup {
  members: readonly Ranked<ParcelCandidate>[]
  memberCount: number
  /** Covers all parcels of the owner that have a geometry. */
  bbox: Bbox | null
}

export type GroupedEntry = { kind: 'single'; ranked: Ranked } | { kind: 'group'; group: OwnerGroup }

/** The entries of one page, each shown by its best hit alone. */
export const ungrouped = (page: readonly Entry[]): GroupedEntry[] =>
  page.map(({ best }) => ({ kind: 'single', ranked: best }))

/**
 * The entries of one page. If the request is grouped, parcels of one owner are one entry, and the owner's other parcels are read from
 * the database. `late`: that takes longer than `timeoutMs`. Groups of the known parcels would have wrong counts.
 */
export const group = async (
  read: Read,
  request: SearchRequest,
  ranked: readonly Ranked[],
  page: readonly Entry[],
  timeoutMs: number,
): Promise<GroupedEntry[] | 'late'> => {
  if (request.group !== 'owner') return ungrouped(page)
  const owners = page.flatMap(({ best }) =>
    ownerOf(best) === '' || !isParcel(best) ? [] : [best.candidate.ownerName ?? ''],
  )
  const lookups =
    owners.length === 0
      ? []
      : await waitAtMost(
          timeoutMs,
          read((db) => listOwnerMembers(db, owners, request.filter, MAX_MEMBERS)),
        )
  if (lookups === 'late') return 'late'
  const ids = new Set(page.map(({ best }) => best.candidate.id))
  const keys = new Set(owners.map(ownerKey))
  const onPage = ranked.filter((one) => ids.has(one.candidate.id) || keys.has(ownerOf(one)))
  // A parcel counts for its own owner here, even if an owner of its accounts is more similar to the query.
  const parcels = lookups.flatMap((lookup) =>
    lookup.parcels.map((row) => ({ ...readParcelRow(row), accountOwners: null })),
  )
  const members = (await rankInTurns(request, parcels, { keepAll: true })) as Ranked<ParcelCandidate>[]
  return groupByOwner(onPage, lookups, new Map(members.map((member) => [member.candidate.id, member])))
}

const isParcel = (ranked: Ranked): ranked is Ranked<ParcelCandidate> => ranked.candidate.kind === 'parcel'

/**
 * Merges the parcels of each owner into one entry, best first. `lookups` has the owners' totals from the database; `rankedMembers` has the
 * ranked parcels of these owners. The only parcel of an owner stays a single hit.
 */
const groupByOwner = (
  ranked: readonly Ranked[],
  lookups: readonly OwnerMembers[],
  rankedMembers: ReadonlyMap<string, Ranked<ParcelCandidate>>,
): GroupedEntry[] => {
  const lookupByKey = new Map(lookups.map((lookup) => [ownerKey(lookup.ownerName), lookup] as const))
  const membersByKey = new Map<string, Map<string, Ranked<ParcelCandidate>>>()
  for (const member of [...rankedMembers.values(), ...ranked.filter(isParcel)]) {
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
    const found = [...(membersByKey.get(key)?.values() ?? [])].sort(compareRanked)
    // Parcels of whose accounts it owns one. The lookup and the further pages do not have them, so they are shown first.
    const ofAccounts = found.filter(({ candidate }) => candidate.isOfAccount)
    const own = found.filter(({ candidate }) => !candidate.isOfAccount)
    const members = [...ofAccounts, ...own].slice(0, MAX_MEMBERS).sort(compareRanked)
    const lookup = lookupByKey.get(key)
    const memberCount = ofAccounts.length + Math.max(own.length, lookup?.memberCount ?? 0)
    entries.push(
      memberCount > 1
        ? { kind: 'group', group: { members, memberCount, bbox: lookup?.bbox ?? null } }
        : { kind: 'single', ranked: one },
    )
  }
  return entries.sort(compareEntries)
}

const bestOf = (entry: GroupedEntry): Ranked => {
  const best = entry.kind === 'group' ? entry.group.members[0] : entry.ranked
  if (best === undefined) throw new Error('an owner group has no members')
  return best
}

/** The order of `compareRanked`, with groups between parcels and entities. */
const compareEntries = (a: GroupedEntry, b: GroupedEntry): number =>
  compareInOrder(bestOf(a), bestOf(b), kindOrder(a) - kindOrder(b))

const kindOrder = (entry: GroupedEntry): number =>
  KIND_ORDER[entry.kind === 'group' ? 'group' : entry.ranked.candidate.kind]
