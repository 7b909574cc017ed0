import type { Db } from '../../core/postgres/database'
import { countCandidatesUpTo } from '../../drizzle/queries/parcels/count-candidates'
import { listInArea } from '../parcels/parcels-in-area'
import type { ExportRequest } from './export-request'

/** How many boxes one query reads. */
const BATCH = 10_000

/** How many parcels an export has; counts up to `atMost`. Without an area, a box is compared only with the bounding boxes of parcels. */
export const countExported = async (
  db: Db,
  { filter, place }: Pick<ExportRequest, 'filter' | 'place'>,
  atMost: number | null,
): Promise<number> => {
  if (place === null) return countCandidatesUpTo(db, filter, atMost)
  let count = 0
  for await (const { parcels } of listInArea(db, { ...place, filter, order: 'id', after: null }, BATCH)) {
    count += parcels.length
    if (atMost !== null && count >= atMost) return atMost
  }
  return count
}
