import type { Feature, FeatureCollection, MultiPolygon, Point, Polygon } from 'geojson'
import { formatCount } from '../format'

type Box = readonly [west: number, south: number, east: number, north: number]

/** `id` is the FIPS code: 2 digits of a state, 5 of a county. */
export type Outlines = FeatureCollection<Polygon | MultiPolygon, { name: string }>

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
  shape: Polygon | MultiPolygon
}

/** FIPS codes of states and territories, with their USPS codes (US Census Bureau, American National Standards Institute codes). */
const STATES = new Map(
  '01AL 02AK 04AZ 05AR 06CA 08CO 09CT 10DE 11DC 12FL 13GA 15HI 16ID 17IL 18IN 19IA 20KS 21KY 22LA 23ME 24MD 25MA 26MI 27MN 28MS 29MO 30MT 31NE 32NV 33NH 34NJ 35NM 36NY 37NC 38ND 39OH 40OK 41OR 42PA 44RI 45SC 46SD 47TN 48TX 49UT 50VT 51VA 53WA 54WV 55WI 56WY 60AS 66GU 69MP 72PR 78VI'
    .split(' ')
    .map((code) => [code.slice(0, 2), code.slice(2)]),
)

const keyOf = (state: string, name: string): string =>
  `${state} ${name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .replace(/ (?:county|parish|borough|census area|municipality|city)$/, '')}`

/**
 * The counties that have parcels on the map, largest first. The sources of one county are one area. `outlines` null, or without the
 * county (such as one that is invented): the area is the box of its parcels.
 */
export const listCountyAreas = (sources: readonly SourceCoverage[], outlines: Outlines | null): CountyArea[] => {
  const shapes = Map.groupBy(outlines?.features ?? [], ({ id, properties }) =>
    keyOf(STATES.get(String(id).slice(0, 2)) ?? '', properties.name),
  )
  const areas = new Map<string, CountyArea>()
  for (const { source, state, county_name, parcels, bbox } of sources) {
    if (bbox === null || parcels === 0) continue
    const box = bbox as unknown as Box
    const key = keyOf(state, county_name)
    // Cities and counties of Virginia have the same names.
    const shape = shapes.get(key)?.find(({ geometry }) => boxesMeet(boxOf(geometry), box))?.geometry ?? null
    const known = areas.get(key)
    if (known === undefined) {
      areas.set(key, {
        name: `${county_name}, ${state}`,
        sources: [source],
        parcels,
        bbox: box,
        shape: shape ?? polygonOf(box),
      })
      continue
    }
    known.sources.push(source)
    known.parcels += parcels
    known.bbox = union(known.bbox, box)
    if (shape === null) known.shape = polygonOf(known.bbox)
  }
  return [...areas.values()].sort((a, b) => b.parcels - a.parcels)
}

/** The area as features of the map: its shape, and a point for its name. `bbox` is JSON text, because features of a map have no lists. */
export const featuresOf = ({ name, parcels, bbox, shape }: CountyArea): Feature[] => {
  const properties = { name, count: `${formatCount(parcels)} parcels`, bbox: JSON.stringify(bbox) }
  const [west, south, east, north] = bbox
  const middle: Point = { type: 'Point', coordinates: [(west + east) / 2, (south + north) / 2] }
  return [shape, middle].map((geometry) => ({ type: 'Feature', properties, geometry }))
}

const boxOf = ({ type, coordinates }: Polygon | MultiPolygon): Box => {
  const positions = type === 'Polygon' ? coordinates.flat() : coordinates.flat(2)
  return positions.reduce<Box>(
    (box, [lon = 0, lat = 0]) => union(box, [lon, lat, lon, lat]),
    [Infinity, Infinity, -Infinity, -Infinity],
  )
}

const union = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
]

const boxesMeet = (a: Box, b: Box): boolean => a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]

const polygonOf = ([west, south, east, north]: Box): Polygon => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
})
