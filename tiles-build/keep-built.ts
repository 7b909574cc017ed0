import { connectDatabase } from '../drizzle/database'
import { findChangeNumber } from '../drizzle/queries/search-vocabulary'
import { hasTileParcels } from '../drizzle/queries/tile-parcels'
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
 * Builds the layer `parcels` now, and again whenever enough has changed. Where nothing has, a build leaves all as it was. A
 * build that runs elsewhere, and a table without parcels, are no failures: the next check looks again.
 */
export const keepTilesBuilt = (options: KeepBuiltOptions): { stop: () => Promise<void> } => {
  const { databaseUrl, store, workDir, checkEveryMs = CHECK_EVERY_MS } = options
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'tiles' })
  const stopping = new AbortController()
  let builtAt = Number.NEGATIVE_INFINITY
  let builtChange = 0

  const check = async (): Promise<void> => {
    const change = await findChangeNumber(sql)
    if (!isBuildDue(change - builtChange, Date.now() - builtAt)) return
    if (!(await hasTileParcels(sql))) return
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
      await pause(checkEveryMs, stopping.signal)
    }
  }
  const running = run()

  return {
    stop: async () => {
      stopping.abort()
      await running
      await sql.end({ timeout: 5 })
    },
  }
}

const EXPECTED = new Set(['build_running', 'build_stopped'])

const pause = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, durationMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
