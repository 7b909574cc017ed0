import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { listAllPending, listPending } from '../../drizzle/queries/search/search-outbox'
import { writeDatasetVersion } from '../index/index-build'
import type { SyncContext } from './context'

export interface AppliedVersion {
  /** Takes a step, at most once a second. Do not call it during a rebuild, which empties the outbox before its indexes are live. */
  follow: () => Promise<void>
}

const EVERY_MS = 1_000
/** Maximum changes to wait for. A bulk load has more; the version is then written when the load has almost been delivered. */
const MAX_PENDING = 10_000

/**
 * Writes the version of the record that the live index reflects into the meta index. All changes up to a watermark are in the index
 * once every document that was in the outbox after the watermark was read has left it.
 */
export const createAppliedVersion = ({ connections, enqueue, indexes, queue }: SyncContext): AppliedVersion => {
  let next: { version: number; pending: string[] } | null = null
  let written: number | null = null
  let isDueAt = 0
  return {
    async follow() {
      if (performance.now() < isDueAt) return
      isDueAt = performance.now() + EVERY_MS
      const db = connections.work()
      if (next === null) {
        const version = await readWatermark(db)
        if (version === written) return
        // This statement runs after the one that read the watermark, so it sees all outbox rows of changes up to the watermark.
        const pending = await listAllPending(db, queue, 'parcel', MAX_PENDING + 1)
        if (pending.length > MAX_PENDING) return
        next = { version, pending }
      } else {
        next.pending = await listPending(db, queue, 'parcel', next.pending)
      }
      if (next.pending.length > 0) return
      await writeDatasetVersion(enqueue, indexes, next.version)
      written = next.version
      next = null
    },
  }
}
