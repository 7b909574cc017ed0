import { type Bbox, bboxOf } from '../../core/bbox'
import type { DrawnSource, ParcelCell } from '../../drizzle/queries/tiles/parcel-cells'
import type { TileRun } from '../archive/archive'
import { createTileFile } from '../archive/tile-file'
import { listCounties, union } from './county-outlines'
import { makeOverviewTiles } from './overview-tiles'

export interface Overview {
  runs: TileRun[]
  /** The box of everything that is drawn. */
  bounds: Bbox
}

/** Writes the tiles of some zooms of the overview to a new file. `file`: its place in the list of all tile files of a build. */
export const writeOverview = (
  { sources, cells }: { sources: readonly DrawnSource[]; cells: readonly ParcelCell[] },
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
  const boxes = counties.map(({ outline }) => bboxOf(outline))
  return {
    runs: runs.filter((run) => run.tileIds.length > 0),
    bounds: boxes.reduce(union, [Infinity, Infinity, -Infinity, -Infinity]),
  }
}
