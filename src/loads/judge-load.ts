import type { LoadedColumn } from '../../core/parcels/fields'
import type { Sql } from '../../core/postgres/database'
import { DEFAULT_LOAD_LIMITS, MIN_PARCELS_FOR_LIMITS } from '../../core/sources/load-limits'
import { formatCount } from '../../core/text/count-noun'
import {
  type LoadChanges,
  listChangedExamples,
  listRetiredExamples,
  readLoadChanges,
  stageRetirements,
  storeVerdict,
  unstageRetirements,
} from '../../drizzle/queries/loads/judge-load'
import { lockLoad } from '../../drizzle/queries/loads/stored-load'
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
 * ends. Otherwise the caller applies it. If its layer was cut short (it sent fewer records than its `total`), the missing parcels may still
 * exist: none is retired, unless more are missing than the limit allows and an admin applies the load. `replaced` is the held load that was discarded because this one is newer.
 *
 * @throws WorkLost when another process has its work
 */
export const judgeLoad = (
  sql: Sql,
  load: LoadAttempt,
  { read, rejected, total = null }: { read: number; rejected: number; total?: number | null },
): Promise<Judged> =>
  sql.begin(async (tx) => {
    if ((await lockWork(tx, load.work)) === null) throw lostLoad()
    const stored = await lockLoad(tx, load.id)
    if (stored === null) throw lostLoad()
    // The database's response to an earlier call was lost.
    const { status: known, verdict: earlier } = stored
    if ((known === 'held' || known === 'applying') && earlier !== null)
      return { status: known, verdict: earlier, replaced: null }
    if (known !== 'staging') throw lostLoad()
    // A layer without records usually means that its portal has a problem.
    if (load.isComplete && read > 0) await stageRetirements(tx, load)
    const staged = await readLoadChanges(tx, load)
    const isCutShort = total !== null && read < total
    const keepsMissing = isCutShort && !listChecks(staged).some(({ check, is_over }) => check === 'retired' && is_over)
    if (keepsMissing) await unstageRetirements(tx, load.id)
    const changes = keepsMissing ? { ...staged, retired: 0 } : staged
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
    const note = isCutShort ? describeCutShort(read, total, keepsMissing) : null
    const replaced = await storeVerdict(tx, load, { status, counts, verdict, note })
    // While the records were read, the progress counted them. While they are applied, it counts again.
    if (load.kind === 'ingest') {
      await advanceWork(tx, load.work, { done: changes.settled, total: inserted + updated + unchanged + retired })
    }
    // The result of a crawl is its counts.
    if (status === 'held') await finishWork(tx, load.work, load.kind === 'crawl' ? {} : { status })
    return { status, verdict, replaced }
  }) as Promise<Judged>

const describeCutShort = (read: number, total: number, keepsMissing: boolean): string => {
  const [sent, counted] = [read, total].map(formatCount)
  return `the layer counts ${counted} records, but sent ${sent}${keepsMissing ? ', so missing parcels are not retired' : ''}`
}

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
