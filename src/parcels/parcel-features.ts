import type { MultiPolygon } from 'geojson'
import { type Caller, createFairTurns } from '../../core/concurrency/fair-turns'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Bbox } from '../../core/geometry/bbox'
import type { Db } from '../../core/postgres/database'
import type { Reader, Reads } from '../../core/postgres/replicas/reads'
import { ServiceError } from '../../core/service-error'
import {
  type FeatureFilter,
  type FeaturePage,
  type FeatureRow,
  listFeatures,
} from '../../drizzle/queries/parcels/list-features'
import { polygonMeetsBox } from './geometry/polygon-meets-box'

export interface FoundFeatures {
  count: number
  /** GeoJSON features, by id, as the members of a JSON array. */
  features: string
  /** The `after` of the next page. Null on the last page. */
  next: string | null
}

export interface ParcelFeatures {
  /** @throws ServiceError `busy`, `caller_gone` */
  find: (filter: FeatureFilter, page: FeaturePage, caller: Caller & Reader) => Promise<FoundFeatures>
}

/**
 * Time limit of a page, and of one statement. A filter without an index, or a time in the past, may need to read every parcel to find a
 * few.
 */
const MAX_FIND_MS = 5_000

/** Reads pages of features in fair turns. A page of 1,000 parcels took 50 to 90 ms on a busy machine (2026-11-23). */
export const createParcelFeatures = (reads: Reads): ParcelFeatures => {
  const turns = createFairTurns({ atOnce: 2, perCaller: 1, patienceMs: 15_000 })
  return {
    find: (filter, page, caller) => turns.run(caller, () => reads.run(caller, (db) => findFeatures(db, filter, page))),
  }
}

/**
 * A page of the parcels that meet a filter, by id. A parcel whose own box is inside a box of the filter matches. For the few on the
 * edge, the polygon decides.
 */
const findFeatures = async (db: Db, filter: FeatureFilter, page: FeaturePage): Promise<FoundFeatures> => {
  const found: FeatureRow[] = []
  let { after } = page
  const giveUpAt = performance.now() + MAX_FIND_MS
  for (;;) {
    // One more than the page, which shows whether there is a next page.
    const limit = page.limit + 1 - found.length
    const { rows, next, isCut } = await listFeatures(db, filter, { after, limit })
    found.push(...(await listMet(rows, filter.boxes)))
    if (found.length > page.limit) return toPage(found.slice(0, page.limit), true)
    if (next === null) return toPage(found, false)
    // A short page is better than none, because clients follow its link.
    const isLate = performance.now() > giveUpAt
    if (found.length > 0 && (isCut || isLate)) return toPage(found, true)
    if (isLate)
      throw new ServiceError('bad_input', `nothing found in ${MAX_FIND_MS / 1_000} s: add bbox, or a smaller one`)
    after = next
  }
}

const toPage = (rows: readonly FeatureRow[], hasNext: boolean): FoundFeatures => ({
  count: rows.length,
  features: rows.map(({ feature }) => feature).join(','),
  next: hasNext ? (rows.at(-1)?.id ?? null) : null,
})

/** Drops parcels on the edge whose polygons do not overlap a box. Yields in between, because boundaries can be large. */
const listMet = async (rows: readonly FeatureRow[], boxes: readonly Bbox[]): Promise<FeatureRow[]> => {
  const met: FeatureRow[] = []
  for (const row of rows) {
    if (row.boundary !== null) {
      await yieldToOthers()
      const polygon = JSON.parse(row.boundary) as MultiPolygon | null
      if (polygon === null || !boxes.some((box) => polygonMeetsBox(polygon, box))) continue
    }
    met.push(row)
  }
  return met
}
