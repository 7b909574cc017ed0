import { addToOutbox } from '../../drizzle/queries/search/search-outbox'
import type { SyncContext } from './context'
import { findDrift } from './drift'
import type { DriftReport } from './events'

const MAX_EXAMPLES = 20

const COUNTED_AS = { missing: 'missing', 'left over': 'extra', outdated: 'different' } as const

/** Compares index and database row by row, and adds the differences to the outbox. `rest` and `signal` are those of `findDrift`. */
export const repair = async (
  { connections, ...instance }: SyncContext,
  options: { rest?: number; signal?: AbortSignal } = {},
): Promise<DriftReport> => {
  const work = connections.work()
  const startedAt = performance.now()
  const report: DriftReport = {
    parcels: 0,
    entities: 0,
    missing: 0,
    extra: 0,
    different: 0,
    examples: [],
    durationMs: 0,
  }
  for await (const differences of findDrift({ db: work, ...instance }, options)) {
    const parcelIds = differences.filter(({ kind }) => kind === 'parcel').map(({ id }) => id)
    const entityIds = differences.filter(({ kind }) => kind === 'entity').map(({ id }) => id)
    if (parcelIds.length > 0) await addToOutbox(work, 'parcel', parcelIds)
    if (entityIds.length > 0) await addToOutbox(work, 'entity', entityIds)
    for (const { how } of differences) report[COUNTED_AS[how]]++
    report.parcels += parcelIds.length
    report.entities += entityIds.length
    report.examples.push(...differences.slice(0, MAX_EXAMPLES - report.examples.length))
  }
  return { ...report, durationMs: performance.now() - startedAt }
}
