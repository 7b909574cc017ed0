import { useQuery } from '@tanstack/react-query'
import type { FeatureCollection, MultiPolygon, Point, Polygon, Position } from 'geojson'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import countiesUrl from 'us-atlas/counties-10m.json' with { type: 'file' }
import { type Bbox, bboxOf, uniteBoxes } from '../../../../../../core/geometry/bbox'
import { findByCountyKey } from '../../../../../../core/sources/census-counties'
import waterUrl from './us-water.geojson' with { type: 'file' }

type Outlines = FeatureCollection<Polygon | MultiPolygon, { name: string }>

/** A point in the largest part of each, for its name. */
type Names = FeatureCollection<Point, { name: string }>

export interface UsOutlines {
  states: Outlines
  stateNames: Names
  counties: Outlines
  countyNames: Names
  /** The box of the county with a `countyKey`. Null: there is no such county. */
  boxOfCounty: (key: string) => Bbox | null
  /** Large lakes and rivers: `kind` is `lake` or `river`. */
  water: FeatureCollection
}

/**
 * States and counties of the US Census Bureau's cartographic boundary files, as the package us-atlas has them, and lakes and rivers of
 * Natural Earth (dev/us-water.ts). Both are in the public domain. This service serves them, so the map needs no other network.
 *
 * @throws Error if a file cannot be loaded
 */
const loadUsOutlines = async (signal: AbortSignal): Promise<UsOutlines> => {
  const [topology, water] = await Promise.all([
    loadJson<Topology>(countiesUrl, signal),
    loadJson<FeatureCollection>(waterUrl, signal),
  ])
  const read = (name: string): Outlines => {
    const outlines = feature(topology, topology.objects[name] as GeometryCollection<{ name: string }>)
    return outlines as Outlines
  }
  const [states, counties] = [read('states'), read('counties')]
  const find = findByCountyKey(counties.features)
  return {
    states,
    stateNames: namesOf(states),
    counties,
    countyNames: namesOf(counties),
    boxOfCounty: (key) => {
      const boxes = find(key).map(({ geometry }) => bboxOf({ type: 'Polygon', coordinates: [largestRing(geometry)] }))
      return boxes.length === 0 ? null : boxes.reduce(uniteBoxes)
    },
    water,
  }
}

const namesOf = (outlines: Outlines): Names => ({ ...outlines, features: outlines.features.map(nameOf) })

const loadJson = async <Content>(url: string, signal: AbortSignal): Promise<Content> => {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`the base map cannot be loaded: ${response.status}`)
  return response.json() as Promise<Content>
}

const nameOf = ({ properties, geometry }: Outlines['features'][number]) => {
  return {
    type: 'Feature' as const,
    properties,
    geometry: { type: 'Point' as const, coordinates: centerOf(largestRing(geometry)).center },
  }
}

/** The outer ring of the largest part. */
const largestRing = (geometry: Polygon | MultiPolygon): Position[] => {
  const rings = geometry.type === 'Polygon' ? [geometry.coordinates[0]] : geometry.coordinates.map(([outer]) => outer)
  const [largest] = rings.map((ring = []) => ({ ring, area: centerOf(ring).area })).sort((a, b) => b.area - a.area)
  return largest?.ring ?? []
}

/** Centroid of a ring, and its area in square degrees. */
const centerOf = (ring: readonly Position[]): { area: number; center: Position } => {
  let [area, x, y] = [0, 0, 0]
  for (const [index, [x2 = 0, y2 = 0]] of ring.entries()) {
    const [x1 = 0, y1 = 0] = ring[index === 0 ? ring.length - 1 : index - 1] ?? []
    const cross = x1 * y2 - x2 * y1
    area += cross / 2
    x += (x1 + x2) * cross
    y += (y1 + y2) * cross
  }
  return { area: Math.abs(area), center: [x / (6 * area), y / (6 * area)] }
}

/** Loads the outlines once `isWanted`, because most views of a single county do not need them. */
export const useUsOutlines = (isWanted: boolean) =>
  useQuery({
    queryKey: ['us-outlines'],
    queryFn: ({ signal }) => loadUsOutlines(signal),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
