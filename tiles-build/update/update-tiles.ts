import { join } from 'node:path'
import { zxyToTileId } from 'pmtiles'
import type { Sql, Transaction } from '../../core/postgres/database'
import { countDrawnParcels } from '../../drizzle/queries/tiles/parcel-cells'
import {
  type BuildProgress,
  describeArchive,
  listOverviewZooms,
  type TileArchive,
  type TileOptions,
} from '../archive/write-tiles'
import { listSortKeys } from '../encode/bucket'
import type { PatchJob } from '../job'
import { MAX_OVERVIEW_ZOOM, WORLD_CELLS } from '../overview/overview-tiles'
import { countParcels, type DrawnParcels, writeOverview } from '../overview/write-overview'
import { listColumns } from '../read/read-parcels'
import type { FormerArchive } from './former-archive'
import { readFormer } from './former-counts'
import { keepTiles } from './keep-tiles'
import { createPatchThreads } from './patch-threads'
import { type Changes, readChanges } from './read-changes'
import { recountParcels } from './recount'
import { openUpdatable, type UpdatableArchive } from './updatable-archive'

/**
 * Writes an archive with the same bytes as `writeTiles` does, from the published archive and the change log: only the tiles where a
 * changed parcel is or was are redrawn, and there only the changed parcels. Null: this is not possible (updatable-archive.ts), or too
 * many tiles change, or no parcel is left.
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
  const published = await openUpdatable(sql, options, former, join(folder, 'published'))
  if (published === null) return null

  const { layer, minZoom, maxZoom, properties } = options
  const { filter } = published
  const read = { columns: listColumns(properties), minZoom, baseZoom: minZoom, maxZoom, filter }
  const progress: BuildProgress = { parcels: 0, totalParcels: 0, tiles: 0, share: 0 }
  const onTiles = (tiles: number, share: number) => {
    Object.assign(progress, { tiles, share })
    if (progress.totalParcels > 0) onProgress(progress)
  }
  const setup = { databaseUrl, layer, properties, read }
  const threads = createPatchThreads(setup, folder, { mostThreads, onTiles, signal })
  try {
    const begun = await sql.begin('isolation level repeatable read read only', async (tx) => {
      const changes = await readChanges(tx, former.datasetVersion, read)
      if (changes === null) return null
      // The threads draw while this one counts.
      const drawing = threads.start(patchJob(published, changes))
      const drawn = await countDrawn(tx, options, published, changes)
      return drawn.sources.length === 0 ? null : { touched: changes.touched, drawing, drawn }
    })
    if (begun === null) return null
    const { touched, drawing, drawn } = begun
    const parcels = countParcels(drawn)
    Object.assign(progress, { parcels, totalParcels: parcels })

    // The numbers of files are their positions in `files`.
    const overviewPath = join(folder, 'overview')
    const files = [...drawing.files, overviewPath, published.path]
    const overview = writeOverview(drawn, listOverviewZooms(options), overviewPath, files.indexOf(overviewPath))
    const kept = listKept(published, touched, minZoom)
    const patched = await drawing.runs
    const path = join(folder, `${layer}.pmtiles`)
    const written = await threads.assemble({
      path,
      files,
      runs: [...overview.runs, ...keepTiles(published.path, files.indexOf(published.path), kept, patched), ...patched],
      fields: describeArchive(options, filter, overview),
    })
    return { ...written, path, parcels, withoutPosition: 0, drawnTiles: touched.length }
  } finally {
    threads.end()
  }
}

const patchJob = ({ path, tiles }: UpdatableArchive, { bucket, changed, touched }: Changes): PatchJob => ({
  archive: path,
  records: bucket.bytes,
  changed,
  tiles: touched.map(({ tileId, records }) => {
    const { offsetBytes = 0, length = 0 } = tiles.get(tileId) ?? {}
    return { tileId, records, offsetBytes, length }
  }),
})

/** The numbers of parcels of the new archive: from those of the published one, if its overview has them. */
const countDrawn = async (
  tx: Transaction,
  options: TileOptions,
  published: UpdatableArchive,
  changes: Changes,
): Promise<DrawnParcels> => {
  const { filter } = published
  if (listOverviewZooms(options).includes(MAX_OVERVIEW_ZOOM)) {
    const now = new Set(listSortKeys(changes.bucket))
    const recounted = await recountParcels(tx, filter, changes.boxes, now, () =>
      readFormer(published, changes, options),
    )
    if (recounted !== null) return recounted
  }
  return countDrawnParcels(tx, filter, WORLD_CELLS)
}

/** The tiles with parcels that are copied. */
const listKept = ({ tiles }: UpdatableArchive, touched: Changes['touched'], minZoom: number) => {
  const touchedIds = new Set(touched.map(({ tileId }) => tileId))
  const firstParcelTile = zxyToTileId(minZoom, 0, 0)
  return tiles.values().filter(({ tileId }) => tileId >= firstParcelTile && !touchedIds.has(tileId))
}
