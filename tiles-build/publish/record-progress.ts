import { waitAtMost } from '../../core/concurrency/wait-at-most'
import { connectDatabase } from '../../core/postgres/database'
import { setTileBuildProgress, type TileBuild } from '../../drizzle/queries/tiles/tile-builds'
import { holdWork } from '../../drizzle/queries/work/hold-work'
import type { BuildProgress } from '../archive/write-tiles'

const EVERY_MS = 1_000
const LAST_WORD_MS = 1_000

/**
 * Extends the lease of a build, and writes its progress for other processes to show: at most once a second, and once at the end. It uses
 * its own connection because the build's is busy reading. A failed write does not fail the build. `cancelled` is aborted when the build
 * was cancelled.
 */
export const recordProgress = (
  databaseUrl: string,
  build: TileBuild,
): {
  update: (progress: BuildProgress) => void
  cancelled: AbortSignal
  flush: () => Promise<void>
  stop: () => Promise<void>
} => {
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'tiles-progress', patience: 'background' })
  const lease = holdWork(() => sql, build.work)
  let latest: BuildProgress | null = null
  const write = async () => {
    const progress = latest
    latest = null
    if (progress === null) return
    if (!(await setTileBuildProgress(sql, build, progress).catch(() => true))) lease.lose()
  }
  // The connection may be dead.
  const flush = async () => void (await waitAtMost(LAST_WORD_MS, write()))
  const timer = setInterval(() => void write(), EVERY_MS)
  return {
    update: ({ share, parcels, totalParcels, tiles }) => {
      latest = { share, parcels, totalParcels, tiles }
    },
    cancelled: lease.lost,
    flush,
    stop: async () => {
      clearInterval(timer)
      lease.release()
      await flush()
      await sql.end({ timeout: 1 })
    },
  }
}
