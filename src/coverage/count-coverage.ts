import type { Sql } from '../../core/postgres/database'
import type { Lead } from '../../core/postgres/leader'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { countChanges } from '../../drizzle/queries/coverage/count-changes'
import { countParcels, type ParcelCounts } from '../../drizzle/queries/coverage/count-parcels'
import { listSourcesToCount } from '../../drizzle/queries/coverage/list-sources-to-count'
import { storeCoverage } from '../../drizzle/queries/coverage/store-coverage'
import { storeEmptySources } from '../../drizzle/queries/coverage/store-empty-sources'

/** The part of a lead that counting needs. */
type CountLead = Pick<Lead, 'begin' | 'isAtWork'>

/** How many versions of the change log one transaction counts. */
const CHANGES_AT_ONCE = 100_000
/** How many parcels one statement counts, in some tenths of a second. */
const PARCELS_AT_ONCE = 100_000

/** Updates the tallies of coverage: changes by day, and the parcels of each source that is due. Ends early when `isStopped`. */
export const countCoverage = async (sql: Sql, lead: CountLead, isStopped: () => boolean): Promise<void> => {
  while (!isStopped() && (await lead.begin(sql, (tx) => countChanges(tx, CHANGES_AT_ONCE))));
  const version = await readWatermark(sql)
  await lead.begin(sql, (tx) => storeEmptySources(tx, version))
  for (const source of await listSourcesToCount(sql)) {
    if (isStopped()) return
    await countSource(sql, lead, source)
  }
}

/** A full pass over the source's parcels, in pieces, so that no statement is long. */
const countSource = async (sql: Sql, lead: CountLead, source: string): Promise<void> => {
  const version = await readWatermark(sql)
  let total: ParcelCounts | null = null
  let after: string | null = ''
  while (after !== null) {
    const { last, ...counts } = await countParcels(sql, source, { after, limit: PARCELS_AT_ONCE })
    total = total === null ? counts : add(total, counts)
    after = last
    lead.isAtWork()
  }
  if (total === null) return
  const counted = total
  await lead.begin(sql, (tx) => storeCoverage(tx, source, counted, version))
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
