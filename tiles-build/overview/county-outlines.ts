import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MultiPolygon, Polygon } from 'geojson'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { type Bbox, bboxOf, boxesMeet, overlapOf, uniteBoxes } from '../../core/geometry/bbox'
import { findByCountyKey } from '../../core/sources/census-counties'
import { countyKey } from '../../core/sources/county-names'
import type { DrawnSource } from '../../drizzle/queries/tiles/parcel-cells'

/** A county that has parcels on the map. */
export interface County {
  /** Such as `Washington, OR`. */
  name: string
  /** Slugs of its sources. */
  sources: string[]
  parcels: number
  /** The box of its parcels. */
  bbox: Bbox
  /** Null: it is not known. */
  outline: Polygon | MultiPolygon | null
}

/** The widest county, North Slope in Alaska, has 25. */
const MAX_DEGREES = 30

/**
 * Not imported: the map's page imports it with `type: 'file'`, and a process that has both (as some tests) would get for both what was
 * imported first, because Bun 1.4.5 keeps one module a path.
 */
const OUTLINES_FILE = fileURLToPath(import.meta.resolve('us-atlas/counties-10m.json'))

/**
 * Returns the outlines of the counties and cities of a key, from the US Census Bureau's cartographic boundary files (public domain) in the package
 * us-atlas. Only these are converted to GeoJSON, because all 3,200 take longer than the rest of an overview. The file is read and parsed for
 * each build, in 20 to 40 ms: its 140,000 objects would stay in memory, and each garbage collection would visit them.
 */
const readOutlines = () => {
  const topology = JSON.parse(readFileSync(OUTLINES_FILE, 'utf8')) as Topology
  const { type, geometries } = topology.objects.counties as GeometryCollection<{ name: string }>
  const find = findByCountyKey(geometries)
  return (key: string) =>
    feature(topology, { type, geometries: [...find(key)] }).features.map(
      ({ geometry }) => geometry as Polygon | MultiPolygon,
    )
}

/**
 * The counties of the sources, in the order of their names. Sources of the same county are merged. A county without an outline, such as
 * an invented one, gets the box of its parcels, unless a parcel has wrong coordinates or is on both sides of the antimeridian: that box
 * can fill the world, whose tiles take a minute and are empty.
 */
export const listCounties = (sources: readonly DrawnSource[]): County[] => {
  const outlinesOf = readOutlines()
  const counties: County[] = []
  for (const [key, of] of Map.groupBy(sources, ({ state, county }) => countyKey(state, county))) {
    const [first] = of as [DrawnSource]
    const bbox = of.map((source) => source.bbox).reduce(uniteBoxes)
    counties.push({
      name: `${first.county}, ${first.state}`,
      sources: of.map(({ source }) => source).sort(),
      parcels: of.reduce((sum, { parcels }) => sum + parcels, 0),
      bbox,
      outline: chooseOutline(outlinesOf(key), bbox) ?? (isCountySized(bbox) ? polygonOf(bbox) : null),
    })
  }
  return counties.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** Of a county and a city with the same name, the one whose box is most like that of the parcels: the county may surround the city. */
const chooseOutline = (outlines: readonly (Polygon | MultiPolygon)[], bbox: Bbox): Polygon | MultiPolygon | null => {
  const [best = null] = outlines
    .map((outline) => ({ outline, box: bboxOf(outline) }))
    .filter(({ box }) => boxesMeet(box, bbox))
    .sort((one, other) => overlapOf(other.box, bbox) - overlapOf(one.box, bbox))
  return best?.outline ?? null
}

const isCountySized = ([west, south, east, north]: Bbox): boolean =>
  east - west <= MAX_DEGREES && north - south <= MAX_DEGREES

const polygonOf = ([west, south, east, north]: Bbox): Polygon => ({
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
