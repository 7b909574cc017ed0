import { type Bbox, uniteBoxes } from '../../../../../../core/geometry/bbox'
import { countyKey } from '../../../../../../core/sources/county-names'

/** What a source has of a county, as `/v1/coverage` says. */
interface SourceCoverage {
  source: string
  state: string
  county_name: string
  parcels: number
  bbox: readonly number[] | null
}

/** A county that the service has parcels of. */
export interface CountyArea {
  /** Such as `Washington, OR`. */
  name: string
  /** Slugs of its sources. */
  sources: string[]
  parcels: number
  /** The box of its parcels. */
  bbox: Bbox
}

/** The counties that have parcels on the map, largest first. The sources of one county are one area. */
export const listCountyAreas = (sources: readonly SourceCoverage[]): CountyArea[] => {
  const areas = new Map<string, CountyArea>()
  for (const { source, state, county_name, parcels, bbox } of sources) {
    if (bbox === null || parcels === 0) continue
    const key = countyKey(state, county_name)
    const known = areas.get(key)
    const box = bbox as unknown as Bbox
    areas.set(key, {
      name: known?.name ?? `${county_name}, ${state}`,
      sources: [...(known?.sources ?? []), source],
      parcels: (known?.parcels ?? 0) + parcels,
      bbox: known === undefined ? box : uniteBoxes(known.bbox, box),
    })
  }
  return [...areas.values()].sort((a, b) => b.parcels - a.parcels)
}
