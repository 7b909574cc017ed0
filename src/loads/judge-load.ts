import type { LoadedColumn } from '../../core/parcels/fields'
import type { Sql } from '../../core/postgres/database'
import { DEFAULT_LOAD_LIMITS, MIN_PARCELS_FOR_LIMITS } from '../../core/sources/load-limits'
import { lockLoad, storeVerdict } from '../../drizzle/queries/loads/end-load'
import {
  type LoadChanges,
  listChangedExamples,
  listRetiredExamples,
  readLoadChanges,
  stageRetirements,
} from '../../drizzle/queries/loads/judge-load'
import { advanceWork, lockWork } from '../../drizzle/queries/work/advance-work'
import { finishWork } from '../../drizzle/queries/work/end-work-attempt'
import type { LoadCheck, LoadVerdict } from '../../drizzle/schema/parcels/loads'
import { type LoadAttempt, lostLoad } from './load-attempt'

interface Judged {
  status: 'held' | 'applying'
  verdict: LoadVerdict
  replaced: string | null
}

/**
 * Compares a completely read load with the parcels of its source. A load that would exceed the source's limits is held, and its work
 * ends. Otherwise the caller applies it. `replaced` is the held load that was discarded because this one is newer.
 *
 * @throws WorkLost when another process has its work
 */
export const judgeLoad = (
  sql: Sql,
  load: LoadAttempt,
  { read, rejected }: { read: number; rejected: number },
): Promise<Judged> =>
  sql.begin(async (tx) => {
    if ((await lockWork(tx, load.work)) === null) throw lostLoad()
    const stored = await lockLoad(tx, load.id)
    if (stored === null) throw lostLoad()
    // The database's response to an earlier call was lost.
    const { status: known, verdict: found } = stored
    if ((known === 'held' || known === 'applying') && found !== null)
      return { status: known, verdict: found, replaced: null }
    if (known !== 'staging') throw lostLoad()
    // A layer without records usually means that its portal has a problem.
    if (load.isComplete && read > 0) await stageRetirements(tx, load)
    const changes = await readLoadChanges(tx, load)
    const { inserted, updated, unchanged, retired } = changes
    const checks = listChecks(changes)
    for (const check of checks.filter(({ is_over }) => is_over)) {
      check.examples =
        check.field === null
          ? await listRetiredExamples(tx, load)
          : await listChangedExamples(tx, load, check.field as LoadedColumn, check.check === 'emptied')
    }
    const status = checks.some(({ is_over }) => is_over) ? 'held' : 'applying'
    const verdict = { parcels: changes.parcels, checks }
    const counts = { read, rejected, inserted, updated, unchanged, retired }
    const replaced = await storeVerdict(tx, load, { status, counts, verdict })
    // While the records were read, the progress counted them. While they are applied, it counts again.
    if (load.kind === 'ingest') {
      await advanceWork(tx, load.work, { done: changes.settled, total: inserted + updated + unchanged + retired })
    }
    // The result of a crawl is its counts.
    if (status === 'held') await finishWork(tx, load.work, load.kind === 'crawl' ? {} : { status })
    return { status, verdict, replaced }
  }) as Promise<Judged>

/** The checks that count at least one parcel. */
const listChecks = ({ parcels, limits, retired, emptied, owners }: LoadChanges): LoadCheck[] => {
  const counted = [
    { check: 'retired', field: null, count: retired } as const,
    ...Object.entries(emptied).map(([field, count]) => ({ check: 'emptied', field, count }) as const),
    { check: 'owner', field: 'owner_name', count: owners } as const,
  ]
  return counted
    .filter(({ count }) => count > 0)
    .map((counted) => {
      const share = counted.count / parcels
      const limit = limits[counted.check] ?? DEFAULT_LOAD_LIMITS[counted.check]
      return { ...counted, share, limit, is_over: parcels >= MIN_PARCELS_FOR_LIMITS && share > limit, examples: [] }
    })
}
