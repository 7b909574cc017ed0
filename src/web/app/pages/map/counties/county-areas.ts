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
  /** The box of its parcels, or of the county if the locations of its parcels are not known. */
  bbox: Bbox
  /** Whether the location of any of its parcels is known. */
  isPlaced: boolean
}

/** Whether a source has parcels, but the location of none is known. */
export const isUnplacedSource = ({ bbox, parcels }: Pick<SourceCoverage, 'bbox' | 'parcels'>): boolean =>
  bbox === null && parcels > 0

/**
 * The counties that have parcels, largest first. The sources of one county are one area.
 *
 * @param boxOfCounty the box of the county with a `countyKey`. Counties without it and without located parcels are left out.
 */
export const listCountyAreas = (
  sources: readonly SourceCoverage[],
  boxOfCounty: (key: string) => Bbox | null = () => null,
): CountyArea[] => {
  const areas: CountyArea[] = []
  const filled = sources.filter(({ parcels }) => parcels > 0)
  for (const [key, of] of Map.groupBy(filled, ({ state, county_name }) => countyKey(state, county_name))) {
    const [first] = of as [SourceCoverage]
    const boxes = of.flatMap(({ bbox }) => (bbox === null ? [] : [bbox as unknown as Bbox]))
    const isPlaced = boxes.length > 0
    const bbox = isPlaced ? boxes.reduce(uniteBoxes) : boxOfCounty(key)
    if (bbox === null) continue
    areas.push({
      name: `${first.county_name}, ${first.state}`,
      sources: of.map(({ source }) => source),
      parcels: of.reduce((sum, { parcels }) => sum + parcels, 0),
      bbox,
      isPlaced,
    })
  }
  return areas.sort((a, b) => b.parcels - a.parcels)
}
