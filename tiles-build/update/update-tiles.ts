import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { zxyToTileId } from 'pmtiles'
import type { Bbox } from '../../core/geometry/bbox'
import type { Sql } from '../../core/postgres/database'
import {
  type ChangedBox,
  countChangesSince,
  forEachChangedParcel,
  listChangedBoxes,
} from '../../drizzle/queries/tiles/changed-parcels'
import { countDrawnParcels } from '../../drizzle/queries/tiles/parcel-cells'
import type { TileRun } from '../archive/archive'
import { resolveFilter } from '../archive/resolve-filter'
import {
  type BuildProgress,
  describeArchive,
  listOverviewZooms,
  type TileArchive,
  type TileOptions,
} from '../archive/write-tiles'
import { createBucket, listSortKeys, sortKeyOfParcel } from '../encode/bucket'
import { featureId, IDENTITY } from '../encode/record'
import { startThreads, type ThreadPool } from '../encode/thread-pool'
import type { PatchJob } from '../job'
import { MAX_OVERVIEW_ZOOM, WORLD_CELLS } from '../overview/overview-tiles'
import { countParcels, writeOverview } from '../overview/write-overview'
import { createGeometryBox } from '../read/parse-geometry'
import { createRecordWriter, listColumns } from '../read/read-parcels'
import { type FormerArchive, readBytes, readTile, readTiles, type StoredTile, takeArchive } from './former-archive'
import { listDrawn, readCounts, recountParcels } from './recount'
import { listTouchedTiles } from './touched-tiles'

/** With more changes, most tiles change, and memory holds all changed parcels: the archive is built from all parcels. */
const MAX_CHANGES = 100_000
/** Enough jobs per thread to keep all threads busy until the end. */
const JOBS_PER_THREAD = 4
/** One thread draws this many tiles before another one has started. */
const TILES_PER_THREAD = 400
/** The settings of an archive do not include where its parcels are. */
const NOWHERE: Bbox = [0, 0, 0, 0]

/**
 * Writes an archive with the same bytes as `writeTiles` does, from the published archive and the change log: only the tiles where a
 * changed parcel is or was are redrawn, and there only the changed parcels. Null: this is not possible, because the published archive
 * is damaged or has other settings, too much has changed, or the filter compares what the change log does not have. A source that came
 * to a place of the filter, or left it, counts as another setting.
 */
export const updateTiles = async (
  sql: Sql,
  databaseUrl: string,
  folder: string,
  options: TileOptions,
  former: FormerArchive,
  {
    threads: mostThreads,
    onProgress,
    signal,
  }: { threads: number; onProgress: (progress: BuildProgress) => void; signal?: AbortSignal | undefined },
): Promise<TileArchive | null> => {
  const { layer, minZoom, maxZoom, properties } = options
  if (!IDENTITY.every((column) => properties.includes(column))) return null
  // The log has the changes of every value that filters compare, but not all changes of the time of a record.
  if (options.filter.changedSince !== null) return null
  if ((await countChangesSince(sql, former.datasetVersion, MAX_CHANGES)) >= MAX_CHANGES) return null
  const published = await takeArchive(former, join(folder, 'published'))
  if (published === null) return null
  const filter = await resolveFilter(sql, options)
  const columns = listColumns(properties)
  const archive = await readTiles(published)
  const { metadata } = describeArchive(options, filter, { bounds: NOWHERE, parcelBounds: NOWHERE })
  if (settingsOf(archive.metadata) !== settingsOf(metadata)) return null
  const formerTiles = new Map(archive.tiles.map((tile) => [tile.tileId, tile]))

  let pool: ThreadPool | null = null
  const progress: BuildProgress = { parcels: 0, totalParcels: 0, tiles: 0, share: 0 }
  /** Draws tiles on threads of their own. */
  const draw = (tiles: PatchJob['tiles'], job: Omit<PatchJob, 'tiles'>) => {
    const threads = Math.min(mostThreads, Math.ceil(tiles.length / TILES_PER_THREAD) || 1)
    // The number of a thread is that of its file.
    const files = Array.from({ length: threads }, (_, thread) => join(folder, `tiles-${thread}`))
    const started = startThreads(
      files.map((_, thread) => ({
        ...{ databaseUrl, layer, properties, spillFiles: [], tileFiles: files, thread },
        read: { columns, minZoom, baseZoom: minZoom, maxZoom, filter },
      })),
      (done) => {
        progress.tiles += done.tiles
        progress.share = Math.min(1, progress.tiles / Math.max(1, tiles.length))
        if (progress.totalParcels > 0) onProgress(progress)
      },
    )
    pool = started
    if (signal?.aborted) started.stop()
    const asks = split(tiles, threads === 1 ? 1 : JOBS_PER_THREAD * threads)
    const runs = Promise.all(asks.map((tiles) => started.run('patch', { ...job, tiles })))
    // If counting fails, nobody waits for it.
    runs.catch(() => {})
    return { pool: started, files, runs }
  }
  const stop = () => pool?.stop()
  signal?.addEventListener('abort', stop)
  try {
    const read = await sql.begin('isolation level repeatable read read only', async (tx) => {
      const boxes = await listChangedBoxes(tx, former.datasetVersion)
      const records = await readRecords(columns, (handle) =>
        forEachChangedParcel(tx, former.datasetVersion, filter, columns, handle),
      )
      const changed = listChanged(boxes)
      const bucket = createBucket(records, columns.length)
      const touched = listTouchedTiles(boxes, bucket, { minZoom, maxZoom })
      if (touched === null) return null
      const tiles = touched.map(({ tileId, records }) => {
        const tile = formerTiles.get(tileId)
        return { tileId, records, offsetBytes: tile?.offsetBytes ?? 0, length: tile?.length ?? 0 }
      })
      // The threads draw while this one counts.
      const drawing = draw(tiles, { archive: published, records, changed })
      const recount = () =>
        recountParcels(tx, filter, boxes, new Set(listSortKeys(bucket)), () => {
          const file = openSync(published, 'r')
          try {
            const read = (tileId: number) => readTile(file, formerTiles.get(tileId) as StoredTile)
            const firstId = zxyToTileId(maxZoom, 0, 0)
            const drawn = touched.filter(({ tileId }) => tileId >= firstId && formerTiles.has(tileId))
            return {
              counts: readCounts([...formerTiles.keys()], read),
              before: listDrawn(
                drawn.values().map(({ tileId }) => read(tileId)),
                properties,
                changed,
              ),
            }
          } finally {
            closeSync(file)
          }
        })
      const hasCounts = listOverviewZooms(options).includes(MAX_OVERVIEW_ZOOM)
      const drawn = (hasCounts ? await recount() : null) ?? (await countDrawnParcels(tx, filter, WORLD_CELLS))
      return drawn.sources.length === 0 ? null : { touched, drawing, drawn }
    })
    if (read === null) return null
    const { touched, drawing, drawn } = read
    const parcels = countParcels(drawn)
    Object.assign(progress, { parcels, totalParcels: parcels })
    const overviewPath = join(folder, 'overview')
    const overview = writeOverview(drawn, listOverviewZooms(options), overviewPath, 0)
    const touchedIds = new Set(touched.map(({ tileId }) => tileId))
    const firstParcelTile = zxyToTileId(minZoom, 0, 0)
    const kept = archive.tiles.filter(({ tileId }) => tileId >= firstParcelTile && !touchedIds.has(tileId))
    const path = join(folder, `${layer}.pmtiles`)
    const written = await drawing.pool.run('archive', {
      path,
      files: [...drawing.files, overviewPath, published],
      runs: [
        ...overview.runs.map((run) => ({ ...run, file: drawing.files.length })),
        ...toRuns(published, drawing.files.length + 1, kept, (await drawing.runs).flat()),
      ],
      fields: describeArchive(options, filter, overview),
    })
    return { ...written, path, parcels, withoutPosition: 0, drawnTiles: touched.length }
  } finally {
    signal?.removeEventListener('abort', stop)
    ;(pool as ThreadPool | null)?.end()
  }
}

/** What must be equal in two archives for one to be an update of the other. */
const settingsOf = (metadata: Record<string, unknown>): string => JSON.stringify({ ...metadata, parcel_bounds: null })

/** Reads rows into records, one after another. */
const readRecords = async (
  columns: ReturnType<typeof listColumns>,
  read: (handle: (geometry: Uint8Array, texts: readonly (Uint8Array | null)[]) => void) => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> => {
  const writeRecord = createRecordWriter(columns)
  const box = createGeometryBox()
  const records: Uint8Array[] = []
  await read((geometry, texts) => {
    const record = writeRecord(geometry, texts, box)
    if (record !== null) records.push(new Uint8Array(record.slice().buffer))
  })
  const bytes = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const record of records) {
    bytes.set(record, at)
    at += record.length
  }
  return bytes
}

const listChanged = (boxes: readonly ChangedBox[]): PatchJob['changed'] => {
  const encoder = new TextEncoder()
  const found = new Map<string, number>()
  for (const { source, source_parcel_id: id } of boxes) {
    const sortKey = sortKeyOfParcel(source, id)
    if (!found.has(sortKey)) found.set(sortKey, featureId(encoder.encode(source), encoder.encode(id)))
  }
  return Array.from(found, ([sortKey, featureId]) => ({ sortKey, featureId }))
}

const split = <Item>(items: readonly Item[], parts: number): Item[][] => {
  const size = Math.max(1, Math.ceil(items.length / parts))
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  )
}

/** The kept tiles of the copied archive as runs that no patched tile interrupts, and the patched tiles. */
const toRuns = (
  path: string,
  fileNumber: number,
  kept: readonly StoredTile[],
  patched: readonly TileRun[],
): TileRun[] => {
  // Equal tiles of an archive are stored once, so the place of a kept tile identifies its content. Only patched tiles of the same length can
  // have the same content.
  const patchedLengths = new Set(patched.map(({ lengths }) => lengths[0]))
  const ends = patched.map(({ tileIds }) => tileIds[0] as number).sort((a, b) => a - b)
  const runs: TileRun[] = []
  const file = openSync(path, 'r')
  let [next, from] = [0, 0]
  const hashes: bigint[] = []
  const flush = (to: number): void => {
    if (to > from) {
      const tiles = kept.slice(from, to)
      runs.push({
        file: fileNumber,
        offsetBytes: (tiles[0] as StoredTile).offsetBytes,
        tileIds: Float64Array.from(tiles, ({ tileId }) => tileId),
        lengths: Uint32Array.from(tiles, ({ length }) => length),
        hashes: BigUint64Array.from(hashes.splice(0)),
      })
    }
    from = to
  }
  try {
    for (const [at, { tileId, offsetBytes, length }] of kept.entries()) {
      const last = kept[at - 1]
      const isNext = last !== undefined && last.offsetBytes + last.length === offsetBytes
      const isInterrupted = next < ends.length && (ends[next] as number) < tileId
      if (!isNext || isInterrupted) flush(at)
      while (next < ends.length && (ends[next] as number) < tileId) next++
      if (patchedLengths.has(length)) {
        const bytes = readBytes(file, offsetBytes, length)
        hashes.push(Bun.hash.xxHash3(bytes), Bun.hash.wyhash(bytes))
      } else hashes.push(BigInt(offsetBytes), 0n)
    }
    flush(kept.length)
  } finally {
    closeSync(file)
  }
  return [...runs, ...patched]
}
