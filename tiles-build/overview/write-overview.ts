import { type Bbox, bboxOf, uniteBoxes } from '../../core/geometry/bbox'
import type { DrawnSource, ParcelCell } from '../../drizzle/queries/tiles/parcel-cells'
import type { TileRun } from '../archive/archive'
import { createTileFile } from '../archive/tile-file'
import { listCounties } from './county-outlines'
import { makeOverviewTiles } from './overview-tiles'

export interface Overview {
  runs: TileRun[]
  /** The box of everything drawn, and the box of the parcels. */
  bounds: Bbox
  parcelBounds: Bbox
}

export interface DrawnParcels {
  sources: readonly DrawnSource[]
  cells: readonly ParcelCell[]
}

export const countParcels = ({ sources }: DrawnParcels): number =>
  sources.reduce((sum, { parcels }) => sum + parcels, 0)

/** Writes the tiles of some zooms of the overview to a new file. `file`: its index in the list of all tile files of a build. */
export const writeOverview = (
  { sources, cells }: DrawnParcels,
  zooms: readonly number[],
  path: string,
  file: number,
): Overview => {
  const counties = zooms.length === 0 ? [] : listCounties(sources)
  const to = createTileFile(path, file)
  const runs: TileRun[] = []
  for (const zoom of zooms) {
    makeOverviewTiles(zoom, counties, cells, to.add)
    runs.push(to.endRun())
  }
  to.close()
  const parcelBounds = sources.map(({ bbox }) => bbox).reduce(uniteBoxes, [Infinity, Infinity, -Infinity, -Infinity])
  return {
    runs: runs.filter((run) => run.tileIds.length > 0),
    bounds: counties
      .flatMap(({ outline }) => outline ?? [])
      .map(bboxOf)
      .reduce(uniteBoxes, parcelBounds),
    parcelBounds,
  }
}
