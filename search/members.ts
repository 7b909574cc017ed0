import type { Db } from '../core/postgres/database'
import { listOwnerMembersAfter } from '../drizzle/queries/search/search-owner-members'
import { encodeCursor, hashKey, listShown, type MembersCursor } from './cursor'
import { createAnnotator, formatSingle, type SearchHit } from './hits'
import type { SearchParams, SearchRequest } from './query/query'
import type { OwnerGroup } from './rank/group'
import { rankInTurns } from './rank/rank'
import { readParcelRow } from './retrieve/postgres'

/** The cursor for the parcels that a group does not show. Null: it shows all of them. */
export const cursorOfMembers = (
  { members, memberCount }: OwnerGroup,
  of: Pick<MembersCursor, 'search' | 'reading'>,
): string | null => {
  const owner = members[0]?.candidate.ownerName ?? null
  if (owner === null || memberCount <= members.length) return null
  return encodeCursor({
    ...of,
    owner,
    last: null,
    shown: members.map(({ candidate }) => hashKey(candidate.id)).join(''),
  })
}

/**
 * A page of the parcels of an owner that the group did not show. Scores need all of them, which may be thousands, so they are ordered
 * by source and id.
 */
export const listMembers = async (
  db: Db,
  request: SearchRequest,
  params: SearchParams,
  cursor: MembersCursor,
): Promise<{ hits: SearchHit[]; total: number; next: string | null }> => {
  const shown = listShown(cursor)
  const wanted = request.limit + 1 + shown.size
  const found = await listOwnerMembersAfter(db, cursor.owner, request.filter, cursor.last, wanted)
  const unseen = found.parcels.map(readParcelRow).filter(({ id }) => !shown.has(hashKey(id)))
  const page = unseen.slice(0, request.limit)
  const ranked = await rankInTurns(request, page, { keepAll: true })
  const rankedById = new Map(ranked.map((one) => [one.candidate.id, one] as const))
  const annotate = createAnnotator(request, params)
  const last = page.at(-1)
  const isLast = last === undefined || unseen.length <= request.limit
  return {
    hits: page.flatMap(({ id }) => rankedById.get(id) ?? []).map((one) => formatSingle(one, annotate)),
    total: found.memberCount,
    next: isLast ? null : encodeCursor({ ...cursor, last: { source: last.source, id: last.sourceParcelId } }),
  }
}
