import { connectDatabase } from '../drizzle/database'
import { findChangeNumber } from '../drizzle/queries/search-vocabulary'
import { isTileBuildRequested, TILE_REQUEST_CHANNEL } from '../drizzle/queries/tile-builds'
import { hasTileParcels } from '../drizzle/queries/tile-parcels'
import { createAlarm } from '../src/alarm'
import { ServiceError } from '../src/service-error'
import { type BuildResult, buildTiles, DEFAULT_TILE_OPTIONS } from './build'
import type { TileStore } from './tile-store'

export interface KeepBuiltOptions {
  databaseUrl: string
  store: TileStore
  workDir: string
  onBuilt: (result: BuildResult) => void
  /** A build failed; there is another try at the next check. */
  onFailed: (error: Error) => void
  checkEveryMs?: number
}

const CHECK_EVERY_MS = 60_000
/** So many rows changed are worth a build, ten minutes after the last; a day after the last, any or none. */
const ENOUGH_CHANGES = 1_000
const SOONEST_MS = 10 * 60_000
const LATEST_MS = 24 * 3_600_000

export const isBuildDue = (changes: number, sinceLastMs: number): boolean =>
  sinceLastMs >= LATEST_MS || (changes >= ENOUGH_CHANGES && sinceLastMs >= SOONEST_MS)

/**
 * Builds the layer `parcels` now, again whenever enough has changed, and when somebody asks for it. Where nothing has, a build leaves all as it was. A
 * build that runs elsewhere, and a table without parcels, are no failures: the next check looks again.
 */
export const keepTilesBuilt = (options: KeepBuiltOptions): { stop: () => Promise<void> } => {
  const { databaseUrl, store, workDir, checkEveryMs = CHECK_EVERY_MS } = options
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'tiles' })
  const stopping = new AbortController()
  const alarm = createAlarm()
  let builtAt = Number.NEGATIVE_INFINITY
  let builtChange = 0

  const check = async (): Promise<void> => {
    const change = await findChangeNumber(sql)
    const { layer } = DEFAULT_TILE_OPTIONS
    // Whoever asks is told when there is nothing to draw.
    if (!(await isTileBuildRequested(sql, layer))) {
      if (!isBuildDue(change - builtChange, Date.now() - builtAt)) return
      if (!(await hasTileParcels(sql))) return
    }
    options.onBuilt(
      await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl, to: store, workDir, signal: stopping.signal }),
    )
    builtAt = Date.now()
    builtChange = change
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await check()
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const isExpected = error instanceof ServiceError && EXPECTED.has(error.code)
        if (!isExpected) options.onFailed(error)
      }
      if (!stopping.signal.aborted) await alarm.wait(checkEveryMs)
    }
  }
  // Without it the table is looked at every `checkEveryMs` all the same.
  const listening = sql.listen(TILE_REQUEST_CHANNEL, alarm.ring, alarm.ring).catch(() => null)
  const running = run()

  return {
    stop: async () => {
      stopping.abort()
      alarm.ring()
      await running
      await listening
      await sql.end({ timeout: 5 })
    },
  }
}

const EXPECTED = new Set(['build_running', 'build_stopped'])
