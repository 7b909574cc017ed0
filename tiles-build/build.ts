import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '../drizzle/database'
import {
  failTileBuild,
  findDrawnChanges,
  forgetTileBuilds,
  insertTileBuild,
  tryLockTileBuild,
} from '../drizzle/queries/tile-builds'
import { withSpan } from '../src/with-span'
import { moveFile } from './move-file'
import { buildRunning, publishArchive, removeOldArchives } from './publish'
import { recordProgress } from './record-progress'
import type { TileStore } from './tile-store'
import { type BuildProgress, type TileArchive, type TileOptions, writeTiles } from './write-tiles'

export const DEFAULT_TILE_OPTIONS: TileOptions = {
  layer: 'parcels',
  minZoom: 10,
  maxZoom: 15,
  properties: ['id', 'source', 'source_parcel_id', 'situs_address', 'owner_name'],
  state: null,
  sources: null,
  attribution: 'Parcels: county assessors',
}

/** A build holds a bucket in memory for each thread. */
const MOST_THREADS = 8

export interface BuildContext {
  databaseUrl: string
  /** Where the archive is published; or a file, and nothing is. */
  to: TileStore | { file: string }
  /** A folder of this database's own, on the file system of the store's where that is a folder. */
  workDir: string
  threads?: number
  onProgress?: (progress: BuildProgress) => void
  /** Stops the building. What is built already is still published. */
  signal?: AbortSignal
}

export interface BuildResult extends Omit<TileArchive, 'path'> {
  /** False: the published archive is the same already. */
  isNew: boolean
}

/**
 * Builds the archive of a layer, and publishes it. One build of a layer runs at a time. Killed at any moment it leaves the
 * published archive as it was; its files are removed by the next build.
 *
 * @throws ServiceError `build_running`, `not_found` (nothing to draw), `bad_archive`, `build_stopped`, and what the store throws
 */
export const buildTiles = (options: TileOptions, context: BuildContext): Promise<BuildResult> =>
  withSpan('tile build', { layer: options.layer }, () => build(options, context))

const build = async (options: TileOptions, context: BuildContext): Promise<BuildResult> => {
  const { databaseUrl, to, onProgress = () => {}, threads = Math.min(MOST_THREADS, availableParallelism()) } = context
  const { layer } = options
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'tiles-build' })
  const folder = join(context.workDir, layer)
  try {
    // The lock lasts as long as the connection: a build that is killed gives it back.
    if (!(await tryLockTileBuild(sql, layer))) throw buildRunning(layer)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const write = (onProgress: (progress: BuildProgress) => void) =>
      writeTiles(sql, databaseUrl, folder, options, { threads, onProgress, signal: context.signal })
    if ('file' in to) {
      const { path, ...archive } = await write(onProgress)
      await moveFile(path, to.file)
      return { ...archive, isNew: true }
    }

    const id = await insertTileBuild(sql, layer)
    const record = recordProgress(databaseUrl, id)
    try {
      const drawnChanges = await findDrawnChanges(sql)
      const { path, ...archive } = await write((progress) => {
        record.update(progress)
        onProgress(progress)
      })
      await record.stop()
      const isNew = await publishArchive(sql, to, layer, id, { ...archive, path, drawnChanges })
      await removeOldArchives(sql, to, layer)
      return { ...archive, isNew }
    } catch (error) {
      await record.stop()
      const message = error instanceof Error ? error.message : String(error)
      await failTileBuild(sql, id, message)
        .then(() => forgetTileBuilds(sql, layer, null))
        .catch(() => {})
      throw error
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
    await sql.end({ timeout: 5 })
  }
}
