import { connectDatabase } from '../../core/postgres/database'
import { setTileBuildProgress, type TileBuild } from '../../drizzle/queries/tiles/tile-builds'
import type { BuildProgress } from '../archive/write-tiles'

const EVERY_MS = 1_000
const LAST_WORD_MS = 1_000

/**
 * Writes the progress of a build to the database for other processes to show: at most once a second, and once at the end. It uses its
 * own connection because the build's is busy reading. A failed write does not fail the build. Calls `onCancelled` when the build was
 * cancelled.
 */
export const recordProgress = (
  databaseUrl: string,
  build: TileBuild,
  onCancelled: () => void,
): { update: (progress: BuildProgress) => void; stop: () => Promise<void> } => {
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'tiles-progress', patience: 'background' })
  let latest: BuildProgress | null = null
  const write = async () => {
    const progress = latest
    latest = null
    if (progress === null) return
    if (!(await setTileBuildProgress(sql, build, progress).catch(() => true))) onCancelled()
  }
  const timer = setInterval(() => void write(), EVERY_MS)
  return {
    update: ({ share, parcels, totalParcels, tiles }) => {
      latest = { share, parcels, totalParcels, tiles }
    },
    stop: async () => {
      clearInterval(timer)
      // The connection may be dead.
      await Promise.race([write(), Bun.sleep(LAST_WORD_MS)])
      await sql.end({ timeout: 1 })
    },
  }
}
