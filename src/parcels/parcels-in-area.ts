import type { MultiPolygon } from 'geojson'
import { createGoneError } from '../../core/concurrency/fair-turns'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Db } from '../../core/postgres/database'
import { type BoxCandidate, listBoxes, readBoundaries } from '../../drizzle/queries/parcels/list-candidates'
import type { ParcelCursor } from '../../drizzle/queries/parcels/list-parcels'
import { coverArea } from './geometry/cover-area'
import { type AreaRelation, type PreparedArea, prepareArea } from './geometry/prepared-area'
import type { ParcelPage, ParcelsWanted } from './list-parcels'
import { cursorOf } from './parcel-cursor'
import { readListedRows } from './read-listed-rows'

/** An area that parcels are compared with, and how. */
export interface AreaPlace {
  area: MultiPolygon
  relation: AreaRelation
}

export interface AreaWanted extends ParcelsWanted, AreaPlace {
  limit: number
}

/** Maximum candidates of one query. Few candidates of a thin area are inside it, so the next query reads more. */
const MAX_CANDIDATES = 20_000
/** About this many candidates are compared for one page. That takes one or two seconds. */
const MAX_COMPARED = 50_000

/**
 * A page of the parcels that intersect an area, or are within it. If few of many candidates do, the page is shorter, and may be empty.
 *
 * @throws ServiceError `caller_gone`
 */
export const findParcelsInArea = async (db: Db, wanted: AreaWanted, signal?: AbortSignal): Promise<ParcelPage> => {
  const found: BoxCandidate[] = []
  let compared = 0
  let next: string | null = null
  for await (const batch of listInArea(db, wanted, wanted.limit + 1, signal)) {
    found.push(...batch.parcels)
    compared += batch.compared
    next = batch.next
    if (found.length > wanted.limit || compared >= MAX_COMPARED) break
  }
  const page = found.slice(0, wanted.limit)
  const { parcels, last } = await readListedRows(
    db,
    page.map(({ id }) => id),
    wanted,
  )
  return { parcels, next: last + 1 < found.length ? (found[last]?.cursor ?? null) : next }
}

/** A part of a list: the parcels in the area, of `compared` candidates. `next`: the cursor of the last candidate. Null: there are no more. */
interface AreaBatch {
  parcels: BoxCandidate[]
  compared: number
  next: string | null
}

/**
 * The parcels in an area, in order, in batches. The first query reads `size` candidates.
 *
 * @throws ServiceError `caller_gone`
 */
export async function* listInArea(
  db: Db,
  { area, relation, filter, order, after }: Omit<AreaWanted, 'limit' | 'fields' | 'geometry'>,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<AreaBatch> {
  const prepared = prepareArea(area)
  const boxes = await coverArea(prepared)
  let cursor: ParcelCursor | null = after
  for (let limit = size; ; limit = Math.min(MAX_CANDIDATES, limit * 2)) {
    if (signal?.aborted) throw createGoneError()
    const candidates = await listBoxes(db, boxes, { filter, order, after: cursor }, limit)
    const last = candidates.at(-1)
    const next = last === undefined || candidates.length < limit ? null : last.cursor
    yield { parcels: await keepInArea(db, candidates, prepared, relation), compared: candidates.length, next }
    if (next === null) return
    cursor = cursorOf(order, next)
  }
}

/**
 * Reads boundaries only of parcels whose box touches the border of the area. A point on the border is in the area. Yields in between,
 * because boundaries can be large.
 */
const keepInArea = async (
  db: Db,
  candidates: readonly BoxCandidate[],
  area: PreparedArea,
  relation: AreaRelation,
): Promise<BoxCandidate[]> => {
  const judged: { candidate: BoxCandidate; verdict: 'inside' | 'outside' | 'edge' }[] = []
  for (const [index, candidate] of candidates.entries()) {
    if (index % 10 === 0) await yieldToOthers()
    const { west, south, east, north } = candidate
    judged.push({ candidate, verdict: area.judgeBox([west, south, east, north]) })
  }
  const onEdge = judged.filter(({ verdict }) => verdict === 'edge').map(({ candidate }) => candidate.id)
  const left = new Set<string>()
  const decide = relation === 'within' ? area.holds : area.meets
  for (const { id, boundary } of onEdge.length === 0 ? [] : await readBoundaries(db, onEdge)) {
    await yieldToOthers()
    if (!(await decide(JSON.parse(boundary) as MultiPolygon))) left.add(id)
  }
  return judged
    .filter(({ candidate, verdict }) => verdict !== 'outside' && !left.has(candidate.id))
    .map(({ candidate }) => candidate)
}
