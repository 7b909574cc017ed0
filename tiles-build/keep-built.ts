import { createAlarm } from '../core/alarm'
import { CHANNELS } from '../core/channels'
import { connectDatabase } from '../core/postgres/database'
import { ServiceError } from '../core/service-error'
import { findTilesAge, isTileBuildRequested } from '../drizzle/queries/tiles/tile-builds'
import { hasTileParcels } from '../drizzle/queries/tiles/tile-parcels'
import type { TileStore } from './archive/tile-store'
import { type BuildResult, buildTiles, DEFAULT_TILE_OPTIONS } from './build'

export interface KeepBuiltOptions {
  databaseUrl: string
  store: TileStore
  workDir: string
  /** Opens its pool: such that the metrics watch. */
  openPool?: typeof connectDatabase
  onBuilt: (result: BuildResult) => void
  /** A check failed, or a build: there is another try after a while. */
  onFailed: (error: Error) => void
  /** Called after each check that did its work, and while a build goes on. */
  onTurn?: () => void
  checkEveryMs?: number
}

const CHECK_EVERY_MS = 60_000
/** Whether somebody asks for a build, or one was left by a builder that is gone, is looked at this often. */
const LOOK_EVERY_MS = 2_000
/** So many changes that tiles would show are worth a build, ten minutes after the last; a day after the last, any or none. */
const ENOUGH_CHANGES = 1_000
const SOONEST_MS = 10 * 60_000
const LATEST_MS = 24 * 3_600_000
/** A build that failed will hardly succeed at once: what it wants is a disk, a bucket, somebody. */
const LONGEST_PAUSE_MS = 3_600_000

export const isBuildDue = (changes: number, sinceLastMs: number): boolean =>
  sinceLastMs >= LATEST_MS || (changes >= ENOUGH_CHANGES && sinceLastMs >= SOONEST_MS)

/** From a check's length, twice as long after each failure, up to an hour. */
export const pauseAfter = (failures: number, checkEveryMs = CHECK_EVERY_MS): number =>
  Math.min(LONGEST_PAUSE_MS, checkEveryMs * 2 ** (failures - 1))

/**
 * Builds the layer `parcels` whenever there is no archive of it, enough has changed of what it shows, or somebody asks for it.
 * Where nothing has, a build leaves all as it was. A build that runs elsewhere, and a table without parcels, are no failures: the
 * next check looks again.
 */
export const keepTilesBuilt = (options: KeepBuiltOptions): { stop: () => Promise<void> } => {
  const { databaseUrl, store, workDir, checkEveryMs = CHECK_EVERY_MS, openPool = connectDatabase } = options
  const sql = openPool(databaseUrl, { max: 1, applicationName: 'tiles', patience: 'background' })
  const stopping = new AbortController()
  const alarm = createAlarm()
  const { layer } = DEFAULT_TILE_OPTIONS
  let failures = 0
  let failedAt = 0

  const isDue = async (): Promise<boolean> => {
    if (failures > 0 && performance.now() - failedAt < pauseAfter(failures, checkEveryMs)) return false
    const published = await findTilesAge(sql, layer)
    const isFresh = published !== null && !isBuildDue(published.changes, published.ageMs)
    // The database may have come back from a backup, which has no archives; or the archive was damaged where it is stored.
    if (isFresh && (await store.isWhole({ layer, hash: published.hash }))) return false
    return hasTileParcels(sql)
  }

  let checkedAt = Number.NEGATIVE_INFINITY
  const isTimeToCheck = (): boolean => {
    if (performance.now() - checkedAt < checkEveryMs) return false
    checkedAt = performance.now()
    return true
  }

  const check = async (): Promise<void> => {
    // Whoever asks is told when there is nothing to draw.
    if (!(await isTileBuildRequested(sql, layer)) && !(isTimeToCheck() && (await isDue()))) return
    try {
      const to = { databaseUrl, to: store, workDir, signal: stopping.signal }
      options.onBuilt(await buildTiles(DEFAULT_TILE_OPTIONS, { ...to, onProgress: () => options.onTurn?.() }))
      failures = 0
    } catch (error) {
      if (isExpected(error)) {
        // The other builder may be dead: that shows when its lead has run out.
        if (error.code === 'build_running') checkedAt = Number.NEGATIVE_INFINITY
        return
      }
      // A lead that was lost says nothing about the next build.
      if (!(error instanceof ServiceError && error.code === 'lead_lost')) failures++
      failedAt = performance.now()
      throw error
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await check()
        options.onTurn?.()
      } catch (error) {
        if (!(error instanceof Error)) throw error
        options.onFailed(error)
      }
      if (!stopping.signal.aborted) await alarm.wait(Math.min(checkEveryMs, LOOK_EVERY_MS))
    }
  }
  // Without it the table is looked at all the same.
  void sql.listen(CHANNELS.tileBuildRequested, alarm.ring, alarm.ring)
  const running = run()

  return {
    stop: async () => {
      stopping.abort()
      alarm.ring()
      await running
      await sql.end({ timeout: 5 })
    },
  }
}

const isExpected = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.code === 'build_running' || error.code === 'build_stopped')
