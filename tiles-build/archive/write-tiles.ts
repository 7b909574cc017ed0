import { join } from 'node:path'
import { describeFilter } from '../../core/parcels/filter'
import type { Sql, Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { countDrawnParcels } from '../../drizzle/queries/tiles/parcel-cells'
import { countTableBlocks, exportSnapshot, type TileParcelFilter } from '../../drizzle/queries/tiles/tile-parcels'
import type { BucketChunk } from '../encode/bucket'
import { startThreads, type ThreadPool } from '../encode/thread-pool'
import { bucketTile } from '../encode/tile-math'
import { OVERVIEW_LAYERS, OVERVIEW_ZOOMS, WORLD_CELLS } from '../overview/overview-tiles'
import { countParcels, type Overview, writeOverview } from '../overview/write-overview'
import { TILE_PROPERTIES, type TileProperty } from '../read/property-value'
import { listColumns } from '../read/read-parcels'
import type { ArchiveFields, TileRun, WrittenArchive } from './archive'
import { resolveFilter } from './resolve-filter'
import type { Chunk } from './spill'

/** The settings of an archive. */
export interface TileOptions extends TileParcelFilter {
  layer: string
  /** The zooms that draw parcels. If the lowest is 10 or less, the zooms below it are an overview. */
  minZoom: number
  maxZoom: number
  properties: readonly TileProperty[]
  /** The attribution that a map must show. */
  attribution: string
}

export interface BuildProgress {
  parcels: number
  totalParcels: number
  tiles: number
  /** From 0 to 1. */
  share: number
}

export interface TileArchive extends WrittenArchive {
  path: string
  parcels: number
  /** Parcels without a position, which cannot be drawn. */
  withoutPosition: number
  /** The number of tiles that were drawn; the others were copied from the published archive. */
  drawnTiles: number
}

/** 16 MB of the table: large enough to keep the overhead of queries low, small enough that threads finish together. */
const BLOCKS_PER_READ = 2048
/**
 * Each bucket has all parcels of one tile of this zoom, or of the lowest requested zoom if that is higher: about 450 bytes per parcel.
 * Tiles of lower zooms have their own buckets, without parcels that have no area left on the grid: a tile has at most a million cells.
 */
export const BUCKET_ZOOM = 10
/** Enough jobs per thread to keep all threads busy until the end. */
const JOBS_PER_THREAD = 6
const KEEP_ALIVE_MS = 1_000

/**
 * Writes the archive of all parcels selected by `options` into `folder`: threads read parcels into buckets, one per tile;
 * then create each bucket's tiles; then the archive is assembled in tile id order and verified. All threads use
 * one database snapshot. `sql` must be free for the duration of the reading.
 *
 * Memory holds one bucket per thread, and about 100 bytes per tile.
 *
 * @throws ServiceError `not_found` when there is nothing to draw, `bad_archive` when it cannot be read back, `build_stopped`
 *   when `signal` aborts, `busy` when another session wants the table alone
 */
export const writeTiles = async (
  sql: Sql,
  databaseUrl: string,
  folder: string,
  options: TileOptions,
  {
    threads,
    onProgress,
    signal,
  }: { threads: number; onProgress: (progress: BuildProgress) => void; signal?: AbortSignal | undefined },
): Promise<TileArchive> => {
  const { layer, minZoom, maxZoom, properties } = options
  const filter = await resolveFilter(sql, options)
  const zooms = Array.from({ length: maxZoom - minZoom + 1 }, (_, step) => minZoom + step)
  // The highest zoom draws all parcels, so buckets cannot have a higher zoom.
  const baseZoom = Math.min(maxZoom, Math.max(minZoom, BUCKET_ZOOM))
  const overviewZooms = listOverviewZooms(options)
  const files = (name: string) => Array.from({ length: threads }, (_, thread) => join(folder, `${name}-${thread}`))
  const [spillFiles, tileFiles] = [files('parcels'), files('tiles')]
  const progress: BuildProgress = { parcels: 0, totalParcels: 0, tiles: 0, share: 0 }
  let steps = 0
  const pool = startThreads(
    spillFiles.map((_, thread) => ({
      databaseUrl,
      layer,
      properties,
      spillFiles,
      tileFiles,
      thread,
      read: { columns: listColumns(properties), minZoom, baseZoom, maxZoom, filter },
    })),
    (done) => {
      steps += done.steps
      progress.parcels += done.parcels
      progress.tiles += done.tiles
      progress.share = Math.min(1, steps / Math.max(1, progress.totalParcels * (zooms.length + 1)))
      if (progress.totalParcels > 0) onProgress(progress)
    },
  )
  if (signal?.aborted) pool.stop()
  signal?.addEventListener('abort', pool.stop)
  try {
    const overviewPath = join(folder, 'overview')
    const { parcels, withoutPosition, chunks, overview } = await readAll(sql, pool, async (tx) => {
      const drawn = await countDrawnParcels(tx, filter, WORLD_CELLS)
      progress.totalParcels = countParcels(drawn)
      return writeOverview(drawn, overviewZooms, overviewPath, threads)
    })
    if (parcels === 0) throw new ServiceError('not_found', 'no parcel with a geometry: there is nothing to draw')
    const runs = await makeAll(pool, chunks, { zooms, baseZoom }, threads)
    const path = join(folder, `${layer}.pmtiles`)
    const archive = await pool.run('archive', {
      path,
      files: [...tileFiles, overviewPath],
      runs: [...overview.runs, ...runs],
      fields: describeArchive(options, filter, overview),
    })
    return { ...archive, path, parcels, withoutPosition, drawnTiles: archive.addressedTiles }
  } finally {
    signal?.removeEventListener('abort', pool.stop)
    pool.end()
  }
}

/** Reads the whole table, range by range, in one snapshot. */
const readAll = async (
  sql: Sql,
  pool: ThreadPool,
  readOverview: (tx: Transaction) => Promise<Overview>,
): Promise<{ parcels: number; withoutPosition: number; chunks: Chunk[][]; overview: Overview }> => {
  let [parcels, withoutPosition] = [0, 0]
  const overview = await sql.begin('isolation level repeatable read read only', async (tx) => {
    // The snapshot lasts as long as this transaction, which the server would end as idle while the threads read.
    const keepAlive = setInterval(() => void tx`select 1`.catch(() => {}), KEEP_ALIVE_MS)
    try {
      const snapshot = await exportSnapshot(tx)
      const tableBlocks = await countTableBlocks(tx)
      const reads: Promise<void>[] = []
      for (let firstBlock = 0; firstBlock < tableBlocks; firstBlock += BLOCKS_PER_READ) {
        const read = async () => {
          const counts = await pool.run('read', { snapshot, firstBlock, blocks: BLOCKS_PER_READ })
          parcels += counts.parcels
          withoutPosition += counts.withoutPosition
        }
        reads.push(read())
      }
      const [overview] = await Promise.all([readOverview(tx), ...reads])
      return overview
    } finally {
      clearInterval(keepAlive)
    }
  })
  return { parcels, withoutPosition, chunks: await pool.runOnEach('endRead', null), overview }
}

/** Creates the tiles of all buckets, the largest first, so that no thread works alone at the end. */
const makeAll = async (
  pool: ThreadPool,
  chunksOfThreads: readonly Chunk[][],
  { zooms, baseZoom }: { zooms: readonly number[]; baseZoom: number },
  threads: number,
): Promise<TileRun[]> => {
  const buckets = new Map<number, { chunks: BucketChunk[]; sizeBytes: number }>()
  for (const [file, chunks] of chunksOfThreads.entries()) {
    for (const { bucket, offsetBytes, sizeBytes } of chunks) {
      const known = buckets.get(bucket) ?? { chunks: [], sizeBytes: 0 }
      known.chunks.push({ file, offsetBytes, sizeBytes })
      known.sizeBytes += sizeBytes
      buckets.set(bucket, known)
    }
  }
  const baseZooms = zooms.filter((zoom) => zoom >= baseZoom)
  const shares = Math.min(baseZooms.length, Math.ceil((JOBS_PER_THREAD * threads) / buckets.size))
  const jobs = [...buckets]
    .toSorted(([, a], [, b]) => b.sizeBytes - a.sizeBytes)
    .flatMap(([bucket, { chunks }]) => {
      const { z } = bucketTile(bucket)
      if (z < baseZoom) return [{ bucket, chunks, zooms: [z] }]
      const parts = Array.from({ length: shares }, (_, share) => baseZooms.filter((_, at) => at % shares === share))
      return parts.map((part) => ({ bucket, chunks, zooms: part }))
    })
  const runs = await Promise.all(jobs.map((job) => pool.run('tiles', job)))
  return runs.flat().filter((run) => run.tileIds.length > 0)
}

/** The zooms of the overview. An archive that begins at a higher zoom has none, because zooms between them would be empty. */
export const listOverviewZooms = ({ minZoom }: TileOptions): number[] =>
  minZoom > BUCKET_ZOOM ? [] : OVERVIEW_ZOOMS.filter((zoom) => zoom < minZoom)

/** Change it when the encoding of tiles changes: an archive with another number is rebuilt, not updated. */
const ENCODING = 1

/** The header's fields, and the metadata of a PMTiles archive of vector tiles (PMTiles v3, section 5; TileJSON 3, `vector_layers`). */
export const describeArchive = (
  options: TileOptions,
  { filter, sources }: TileParcelFilter,
  { bounds, parcelBounds }: Pick<Overview, 'bounds' | 'parcelBounds'>,
): ArchiveFields => {
  const { layer, minZoom, maxZoom, properties, attribution } = options
  const overviewZooms = listOverviewZooms(options)
  const metadata = {
    name: layer,
    description: 'Boundaries of land parcels',
    type: 'overlay',
    attribution,
    vector_layers: [
      {
        id: layer,
        description: 'Boundaries of land parcels',
        minzoom: minZoom,
        maxzoom: maxZoom,
        fields: Object.fromEntries(properties.map((property) => [property, TILE_PROPERTIES[property]])),
      },
      ...(overviewZooms.length === 0
        ? []
        : Object.entries(OVERVIEW_LAYERS).map(([id, { description, fields }]) => ({
            id,
            description,
            minzoom: Math.min(...overviewZooms),
            maxzoom: Math.max(...overviewZooms),
            fields,
          }))),
    ],
    encoding: ENCODING,
    // The conditions of the filter, and the sources that they select.
    filter: describeFilter(filter),
    sources,
    // The bounds of the archive include the outlines of the counties.
    parcel_bounds: parcelBounds,
  }
  return { minZoom: Math.min(minZoom, ...overviewZooms), maxZoom, bounds, metadata }
}
