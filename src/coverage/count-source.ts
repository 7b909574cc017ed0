import type { Sql, Transaction } from '../../core/postgres/database'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { countParcels, type ParcelCounts } from '../../drizzle/queries/coverage/count-parcels'
import { storeCoverage } from '../../drizzle/queries/coverage/store-coverage'

/** How many parcels one statement counts, in some tenths of a second. */
const PARCELS_AT_ONCE = 100_000

export interface CountOptions {
  parcelsAtOnce?: number
  /** Runs the transaction that stores the counts. */
  begin: (write: (tx: Transaction) => Promise<void>) => Promise<unknown>
  /** Called after each statement. */
  onPiece?: () => void
}

/** A full pass over the source's parcels, in pieces, so that no statement is long. */
export const countSource = async (
  sql: Sql,
  source: string,
  { begin, onPiece, parcelsAtOnce = PARCELS_AT_ONCE }: CountOptions,
): Promise<void> => {
  const version = await readWatermark(sql)
  let total: ParcelCounts | null = null
  let after: string | null = ''
  while (after !== null) {
    const { last, ...counts } = await countParcels(sql, source, { after, limit: parcelsAtOnce })
    total = total === null ? counts : add(total, counts)
    after = last
    onPiece?.()
  }
  if (total === null) return
  const counted = total
  await begin((tx) => storeCoverage(tx, source, counted, version))
}

const add = (one: ParcelCounts, other: ParcelCounts): ParcelCounts => ({
  parcels: one.parcels + other.parcels,
  retired: one.retired + other.retired,
  filled: Object.fromEntries(
    Object.entries(one.filled).map(([field, count]) => [field, count + (other.filled[field] ?? 0)]),
  ),
  west: least(one.west, other.west),
  south: least(one.south, other.south),
  east: greatest(one.east, other.east),
  north: greatest(one.north, other.north),
  refreshedAt: [one.refreshedAt, other.refreshedAt].reduce((a, b) => ((b ?? '') > (a ?? '') ? b : a)),
})

const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
const greatest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)
