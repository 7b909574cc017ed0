import { mkdir, readdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { DISK_IS_FULL, isDiskFull } from '../core/files/disk-full'
import { moveFile } from '../core/files/move-file'
import { withSpan } from '../core/observe/with-span'
import { LISTED_PARCELS } from '../core/parcels/filter'
import { connectDatabase, type Sql } from '../core/postgres/database'
import type { Lead } from '../core/postgres/leader/lead'
import { createLeader } from '../core/postgres/leader/leader'
import { ServiceError } from '../core/service-error'
import { readWatermark } from '../drizzle/queries/changes/read-watermark'
import { forgetTileBuilds } from '../drizzle/queries/tiles/kept-tiles'
import { findDrawnChanges, findPublishedTiles } from '../drizzle/queries/tiles/published-tiles'
import { beginTileBuild, failTileBuild, putOffTileBuild, tileDuty } from '../drizzle/queries/tiles/tile-builds'
import { type BuildProgress, type TileArchive, type TileOptions, writeTiles } from './archive/write-tiles'
import { buildCancelled, publishArchive, removeOldArchives } from './publish/publish'
import { recordProgress } from './publish/record-progress'
import type { TileStore } from './store/tile-store'
import type { FormerArchive } from './update/former-archive'
import { updateTiles } from './update/update-tiles'

export const DEFAULT_TILE_OPTIONS: TileOptions = {
  layer: 'parcels',
  minZoom: 10,
  maxZoom: 15,
  properties: ['source', 'source_parcel_id', 'situs_address', 'owner_name'],
  filter: LISTED_PARCELS,
  sources: null,
  attribution: 'Parcels: county assessors',
}

/** How long a requested build waits after it has made way for another session. */
const BUSY_PAUSE_MS = 10_000

/** Each thread of a build holds a bucket in memory. */
const MAX_THREADS = 8

export interface BuildContext {
  databaseUrl: string
  /** Where to publish the archive; or a file to write without publishing. */
  to: TileStore | { file: string }
  /** This database's own folder, on the same file system as the store if that is a folder. */
  workDir: string
  threads?: number
  /**
   * Redraws only what has changed since the published archive, if that is possible. The result has the same bytes. The change log does
   * not have keys of parcels or sources that an operator changed by hand, so the result lacks those changes.
   */
  isUpdate?: boolean
  onProgress?: (progress: BuildProgress) => void
  /**
   * Stops the build. A finished archive is still published. If a caller requested the build, the request returns to the queue, as it does
   * if the build makes way for another session.
   */
  signal?: AbortSignal
}

export interface BuildResult extends Omit<TileArchive, 'path'> {
  /** False: the published archive is already the same. */
  isNew: boolean
}

/** Assembling a large archive and reading it back report no progress. */
const PATIENCE_MS = 30 * 60_000

/**
 * Builds the archive of a layer and publishes it. One build of a layer runs at a time, under a lead (core/postgres/leader/leader.ts): a builder that
 * freezes or is cut off loses its build, and publishes nothing when it continues. If it is killed at any moment, the published archive
 * stays as it was; the next build removes its files.
 *
 * @throws ServiceError `build_running`, `busy` (another session wants the table of parcels alone), `conflict` (a build with another
 *   filter is requested), `not_found` (nothing to draw), `bad_archive`, `build_stopped`, `lead_lost`, and the store's errors
 */
export const buildTiles = (options: TileOptions, context: BuildContext): Promise<BuildResult> =>
  withSpan('tile build', { layer: options.layer }, async () => {
    const { layer } = options
    const leader = createLeader(context.databaseUrl, tileDuty(layer), { patienceMs: PATIENCE_MS })
    const sql = connectDatabase(context.databaseUrl, { max: 1, applicationName: 'tiles-build', probed: true })
    try {
      const lead = await leader.lead()
      if (lead === null) {
        throw new ServiceError('build_running', `a build of the layer ${layer} is running: wait for it to end`)
      }
      // Without it, a query on a dead connection would wait forever.
      return await lead.during(build(lead, sql, options, context))
    } finally {
      await leader.stop()
      await sql.end({ timeout: 5 })
    }
  })

const build = async (lead: Lead, sql: Sql, options: TileOptions, context: BuildContext): Promise<BuildResult> => {
  const { databaseUrl, to, onProgress = () => {}, threads = Math.min(MAX_THREADS, availableParallelism()) } = context
  const { layer } = options
  const folder = await makeFolder(context.workDir, layer, lead.term)
  const stops = context.signal === undefined ? [lead.ended] : [lead.ended, context.signal]
  const write = async (
    former: FormerArchive | null,
    onProgress: (progress: BuildProgress) => void,
    ...moreStops: AbortSignal[]
  ): Promise<TileArchive> => {
    const how = {
      threads,
      signal: AbortSignal.any([...stops, ...moreStops]),
      onProgress: (progress: BuildProgress) => {
        lead.isAtWork()
        onProgress(progress)
      },
    }
    const updated = former && (await updateTiles(sql, databaseUrl, folder, options, former, how))
    return updated ?? writeTiles(sql, databaseUrl, folder, options, how)
  }
  try {
    if ('file' in to) {
      const { path, ...archive } = await write(null, onProgress)
      lead.check()
      await moveFile(path, to.file)
      return { ...archive, isNew: true }
    }

    const current = await lead.begin(sql, (tx) => beginTileBuild(tx, layer, options))
    const record = recordProgress(databaseUrl, current)
    try {
      const read = { drawnChanges: await findDrawnChanges(sql), datasetVersion: await readWatermark(sql) }
      const former = context.isUpdate === true ? await findFormerArchive(sql, to, layer) : null
      const { path, ...archive } = await write(
        former,
        (progress) => {
          record.update(progress)
          onProgress(progress)
        },
        record.cancelled,
      )
      await record.flush()
      const isNew = await publishArchive(lead, sql, to, current, { ...archive, path, ...read })
      await record.stop()
      await removeOldArchives(lead, sql, to, layer)
      return { ...archive, isNew }
    } catch (thrown) {
      await record.stop()
      const { aborted: isCancelled } = record.cancelled
      const error = isCancelled ? buildCancelled() : thrown
      await lead
        .begin(sql, async (tx) => {
          const failure = describeFailure(error)
          const isStopped = context.signal?.aborted === true
          if (isCancelled || !(isStopped || failure.code === 'busy')) await failTileBuild(tx, current, failure)
          else await putOffTileBuild(tx, current, failure, isStopped ? 0 : BUSY_PAUSE_MS)
          await forgetTileBuilds(tx, layer, null)
        })
        .catch(() => {})
      throw error
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const describeFailure = (error: unknown): { code: string; message: string } => {
  if (isDiskFull(error)) return { code: 'disk_full', message: DISK_IS_FULL }
  const message = error instanceof Error ? error.message : String(error)
  return { code: error instanceof ServiceError ? error.code : 'internal', message }
}

const findFormerArchive = async (sql: Sql, store: TileStore, layer: string): Promise<FormerArchive | null> => {
  const published = await findPublishedTiles(sql, layer)
  if (published?.dataset_version == null) return null
  return { store, name: { layer, hash: published.hash }, datasetVersion: published.dataset_version }
}

/** A separate folder for this build: a builder that was frozen must not find another's files in its place. Removes the remains of earlier builds. */
const makeFolder = async (workDir: string, layer: string, term: string): Promise<string> => {
  await mkdir(workDir, { recursive: true })
  const left = (await readdir(workDir)).filter((name) => name === layer || name.startsWith(`${layer}.`))
  await Promise.all(left.map((name) => rm(join(workDir, name), { recursive: true, force: true })))
  // Names of layers have no dot.
  const folder = join(workDir, `${layer}.${term}`)
  await mkdir(folder)
  return folder
}
