import { closeSync, openSync } from 'node:fs'
import { tileIdToZxy } from 'pmtiles'
import type { TileRun } from '../archive/archive'
import type { TileFile } from '../archive/tile-file'
import { createBucket, listSortKeys } from '../encode/bucket'
import { createGeometryEncoder } from '../encode/geometry'
import { createLayerEncoder } from '../encode/layer'
import type { PatchJob } from '../job'
import { readTile } from './former-archive'
import { createTilePatcher } from './patch-tile'

/** Redraws tiles of an archive into a tile file. Returns one run for each tile that is not empty. */
export const patchTiles = (
  { archive, records, changed, tiles }: PatchJob,
  {
    layer,
    keys,
    columns,
    maxZoom,
  }: { layer: string; keys: readonly string[]; columns: readonly string[]; maxZoom: number },
  to: TileFile,
  onTile: () => void,
): TileRun[] => {
  const bucket = createBucket(records, columns.length)
  const patch = {
    bucket,
    keys,
    columns: keys.map((key) => columns.indexOf(key)),
    sortKeys: listSortKeys(bucket),
    changed: new Set(changed.map(({ sortKey }) => sortKey)),
    changedIds: new Set(changed.map(({ featureId }) => featureId)),
  }
  const encoder = createLayerEncoder(
    layer,
    keys,
    keys.map((_, key) => key),
  )
  const geometries = createGeometryEncoder(bucket.words)
  const patchTile = createTilePatcher(patch, geometries, encoder)
  const file = openSync(archive, 'r')
  const runs: TileRun[] = []
  try {
    for (const { tileId, offsetBytes, length, records } of tiles) {
      const [z, x, y] = tileIdToZxy(tileId)
      geometries.begin(z, x, y, z === maxZoom)
      const former = length === 0 ? null : readTile(file, { offsetBytes, length })
      const tile = patchTile(former, records)
      if (tile !== null) {
        to.add(tileId, tile)
        runs.push(to.endRun())
      }
      onTile()
    }
  } finally {
    closeSync(file)
  }
  return runs
}
