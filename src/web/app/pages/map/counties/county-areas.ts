import { countyKey } from '../../../../../../core/sources/county-key'

export type Box = [west: number, south: number, east: number, north: number]

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
  bbox: Box
}

/** The counties that have parcels on the map, largest first. The sources of one county are one area. */
export const listCountyAreas = (sources: readonly SourceCoverage[]): CountyArea[] => {
  const areas = new Map<string, CountyArea>()
  for (const { source, state, county_name, parcels, bbox } of sources) {
    if (bbox === null || parcels === 0) continue
    const key = countyKey(state, county_name)
    const known = areas.get(key)
    areas.set(key, {
      name: known?.name ?? `${county_name}, ${state}`,
      sources: [...(known?.sources ?? []), source],
      parcels: (known?.parcels ?? 0) + parcels,
      bbox: union(known?.bbox, bbox as unknown as Box),
    })
  }
  return [...areas.values()].sort((a, b) => b.parcels - a.parcels)
}

const union = (a: Box | undefined, b: Box): Box =>
  a === undefined ? b : [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]
