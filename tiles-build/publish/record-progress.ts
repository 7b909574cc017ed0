import { connectDatabase } from '../../core/postgres/database'
import { setTileBuildProgress } from '../../drizzle/queries/tiles/tile-builds'
import type { BuildProgress } from '../archive/write-tiles'

const EVERY_MS = 1_000
const LAST_WORD_MS = 1_000

/**
 * Writes the progress of a build to the database for other processes to show: at most once a second, and once at the end. It uses its
 * own connection because the build's is busy reading. A failed write does not fail the build.
 */
export const recordProgress = (
  databaseUrl: string,
  id: string,
): { update: (progress: BuildProgress) => void; stop: () => Promise<void> } => {
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'tiles-progress', patience: 'background' })
  let latest: BuildProgress | null = null
  const write = async () => {
    const progress = latest
    latest = null
    if (progress !== null) await setTileBuildProgress(sql, id, progress).catch(() => {})
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
