import { CHANNELS } from '../core/channels'
import { createAlarm } from '../core/concurrency/alarm'
import { runEach } from '../core/concurrency/run-each'
import { connectDatabase } from '../core/postgres/database'
import { ServiceError } from '../core/service-error'
import { findTilesAge, type TilesAge } from '../drizzle/queries/tiles/published-tiles'
import { listRequestedTiles, type RequestedTiles } from '../drizzle/queries/tiles/requested-tiles'
import { endLostTileBuilds } from '../drizzle/queries/tiles/tile-builds'
import { hasTileParcels } from '../drizzle/queries/tiles/tile-parcels'
import { type BuildResult, buildTiles, DEFAULT_TILE_OPTIONS } from './build'
import type { TileStore } from './store/tile-store'

export interface KeepBuiltOptions {
  databaseUrl: string
  store: TileStore
  workDir: string
  /** Opens its pool, so that the metrics can watch it. */
  openPool?: typeof connectDatabase
  onBuilt: (result: BuildResult) => void
  /** A build, or the check whether one is due, failed. It is retried after a pause. */
  onFailed: (error: Error, failed: 'check' | 'build') => void
  /** Called after each successful check, and during a build. */
  onTurn?: () => void
  checkEveryMs?: number
  /** How often a layer is drawn completely. */
  fullEveryMs?: number
}

const CHECK_EVERY_MS = 5_000
/** How often to check for a requested build, or one that a dead builder left behind. */
const LOOK_EVERY_MS = 2_000
/** After a load, or after this many visible changes, a build starts soon. After fewer changes it starts within an hour. Once a day it draws everything. */
const ENOUGH_CHANGES = 1_000
/**
 * The maximum share of time that builds take, and the shortest pause between two; a pause is never longer than `USUAL_MS`. Archives are
 * kept for a day, so frequent ones of a large service would fill the disk. People wait to see their load on the map, and loads are rare.
 */
const PACE = { scrapes: { share: 0.01, soonestMs: 30_000 }, load: { share: 0.2, soonestMs: 5_000 } }
/** The longest pause while there are enough changes. */
const USUAL_MS = 10 * 60_000
const HOUR_MS = 3_600_000
const LATEST_MS = 24 * HOUR_MS
/** A failed build rarely succeeds immediately: the cause is usually a disk, a bucket or a setting. */
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = HOUR_MS

/** Whether to build, for what the archive of the last build lacks. */
export const isBuildDue = ({ changes, hasLoad, ageMs, tookMs }: Omit<TilesAge, 'hash'>): boolean => {
  if (changes === 0) return ageMs >= LATEST_MS
  if (changes < ENOUGH_CHANGES && !hasLoad) return ageMs >= HOUR_MS
  const { share, soonestMs } = PACE[hasLoad ? 'load' : 'scrapes']
  return ageMs >= Math.min(USUAL_MS, Math.max(soonestMs, tookMs / share))
}

/** Doubles after each failure, up to an hour. */
export const pauseAfter = (failures: number, firstMs = FIRST_PAUSE_MS): number =>
  Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** (failures - 1))

/**
 * Builds the layer `parcels` whenever it has no archive or enough of its data has changed, and any layer when its build is requested.
 * The first build of a layer, and one each day, draws everything; the others redraw what has changed. If nothing has changed, a build
 * has no effect. A build that runs elsewhere, or a table without parcels, is not a failure: the next check tries again.
 */
export const keepTilesBuilt = (options: KeepBuiltOptions): { stop: () => Promise<void> } => {
  const { databaseUrl, store, workDir, checkEveryMs = CHECK_EVERY_MS, fullEveryMs = LATEST_MS } = options
  const { openPool = connectDatabase } = options
  const sql = openPool(databaseUrl, { max: 1, applicationName: 'tiles', patience: 'background' })
  const stopping = new AbortController()
  const alarm = createAlarm()
  const { layer } = DEFAULT_TILE_OPTIONS
  let failures = 0
  let failedAt = 0
  /** When all of a layer was last drawn. */
  const fullAt = new Map<string, number>()

  const isDue = async (): Promise<boolean> => {
    if (failures > 0 && performance.now() - failedAt < pauseAfter(failures, options.checkEveryMs)) return false
    const published = await findTilesAge(sql, layer)
    const isFresh = published !== null && !isBuildDue(published)
    // The database may have been restored from a backup, without the archives; or the stored archive was damaged.
    if (isFresh && (await store.isWhole({ layer, hash: published.hash }))) return false
    return hasTileParcels(sql)
  }

  let checkedAt = Number.NEGATIVE_INFINITY
  const isTimeToCheck = (): boolean => {
    if (performance.now() - checkedAt < checkEveryMs) return false
    checkedAt = performance.now()
    return true
  }

  /**
   * The requested builds, and the build of the layer `parcels` if it is due. Only a requested build reports that there is nothing to
   * draw.
   */
  const listDue = async (): Promise<RequestedTiles[]> => {
    await endLostTileBuilds(sql)
    const requested = await listRequestedTiles(sql)
    if (requested.some((one) => one.layer === layer) || !isTimeToCheck() || !(await isDue())) return requested
    return [...requested, DEFAULT_TILE_OPTIONS]
  }

  const build = async ({ layer: built, filter }: RequestedTiles): Promise<void> => {
    try {
      const to = { databaseUrl, to: store, workDir, signal: stopping.signal }
      const startedAt = performance.now()
      const isUpdate = startedAt - (fullAt.get(built) ?? Number.NEGATIVE_INFINITY) < fullEveryMs
      const wanted = { ...DEFAULT_TILE_OPTIONS, layer: built, filter }
      const result = await buildTiles(wanted, { ...to, isUpdate, onProgress: () => options.onTurn?.() })
      if (!isUpdate) fullAt.set(built, startedAt)
      options.onBuilt(result)
      if (built === layer) failures = 0
    } catch (error) {
      if (isExpected(error)) {
        // The other builder may be dead. If so, its lead expires.
        if (error.code === 'build_running') checkedAt = Number.NEGATIVE_INFINITY
        return
      }
      // A lost lead says nothing about the next build.
      if (built === layer && !(error instanceof ServiceError && error.code === 'lead_lost')) failures++
      if (built === layer) failedAt = performance.now()
      throw error
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let doing: 'check' | 'build' = 'check'
      try {
        const due = await listDue()
        doing = 'build'
        await runEach(due, build)
        options.onTurn?.()
      } catch (error) {
        if (!(error instanceof Error)) throw error
        options.onFailed(error, doing)
      }
      if (!stopping.signal.aborted) await alarm.wait(Math.min(checkEveryMs, LOOK_EVERY_MS))
    }
  }
  // Without notifications, the table is still polled.
  void sql.listen(CHANNELS.workOrdered, alarm.ring, alarm.ring)
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
  error instanceof ServiceError && ['build_running', 'build_stopped', 'conflict'].includes(error.code)
