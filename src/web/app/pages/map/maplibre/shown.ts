import type { Feature, Point as GeoPoint } from 'geojson'
import type * as maplibregl from 'maplibre-gl'
import type { UsOutlines } from '../base-map/us-outlines'
import type { CountyArea } from '../counties/county-areas'
import { type Area, toPolygon } from '../drawing/area'
import type { MapHit, MultiPolygon, ParcelName, Point } from '../map-parcel'
import { named } from '../style/parcel-layers'
import { boundsOf } from './bounds'

/** What a map shows besides the parcels of the archive. */
export interface Shown {
  hits: readonly MapHit[]
  activeId: string | null
  /** As in `ParcelMapProps`. */
  counties: readonly string[] | null
  selected: ParcelName | null
  boundary: MultiPolygon | Point | null
  area: Area | null
  areas: readonly CountyArea[]
  /** Undefined: not loaded yet. */
  outlines: UsOutlines | undefined
}

/** Fills the hits and the boundary, and marks the parcels among them. */
export const fillResults = (map: maplibregl.Map, shown: Shown): void => {
  const { hits, activeId, boundary } = shown
  map.getSource<maplibregl.GeoJSONSource>('hits')?.setData({
    type: 'FeatureCollection',
    features: hits.map(({ lon, lat, ...properties }) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [lon, lat] },
    })),
  })
  const center = boundsOf(pointsOf([], boundary))?.getCenter().toArray()
  const shapes =
    boundary === null || center === undefined
      ? []
      : [...(boundary.type === 'Point' ? [] : [boundary]), { type: 'Point' as const, coordinates: center }]
  map.getSource<maplibregl.GeoJSONSource>('boundary')?.setData({
    type: 'FeatureCollection',
    features: shapes.map((geometry) => ({
      type: 'Feature',
      properties: { is_place: boundary?.type === 'Point' },
      geometry,
    })),
  })
  if (map.getLayer('hits')) paintActive(map, activeId)
  if (map.getLayer('parcel-hits')) map.setFilter('parcel-hits', named(hits))
  highlight(map, shown)
}

export const fillArea = (map: maplibregl.Map, area: Area | null): void => {
  const features = area === null || area.length === 0 ? [] : [toPolygon(area)]
  map.getSource<maplibregl.GeoJSONSource>('area')?.setData({
    type: 'FeatureCollection',
    features: features.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  })
  map.getContainer().dataset.area = String(features.length > 0)
}

/** Fills the borders and names of states and counties, once they are loaded. */
export const fillOutlines = (map: maplibregl.Map, { outlines, areas }: Shown): void => {
  if (outlines === undefined) return
  // The counties with parcels have a name of their own on the map, with the state.
  const isNamed = (name: string) => areas.some((area) => area.name.startsWith(`${name}, `))
  const { countyNames } = outlines
  map.getSource<maplibregl.GeoJSONSource>('county-labels')?.setData({
    ...countyNames,
    features: countyNames.features.filter(({ properties }) => !isNamed(properties.name)),
  })
  map.getSource<maplibregl.GeoJSONSource>('unplaced-counties')?.setData({
    type: 'FeatureCollection',
    features: areas.filter(({ isPlaced }) => !isPlaced).map(pinOf),
  })
  map.getSource<maplibregl.GeoJSONSource>('states')?.setData(outlines.states)
  map.getSource<maplibregl.GeoJSONSource>('state-names')?.setData(outlines.stateNames)
  map.getSource<maplibregl.GeoJSONSource>('counties')?.setData(outlines.counties)
  map.getSource<maplibregl.GeoJSONSource>('water')?.setData(outlines.water)
}

/** A point in the middle of a county, with the properties that counties have in tiles. */
const pinOf = ({ name, sources, parcels, bbox: [west, south, east, north] }: CountyArea): Feature<GeoPoint> => ({
  type: 'Feature',
  properties: { name, parcels, sources: `,${sources.join()},`, west, south, east, north },
  geometry: { type: 'Point', coordinates: [(west + east) / 2, (south + north) / 2] },
})

/** Highlights the selected parcel in the tiles until its exact boundary is loaded. */
export const highlight = (map: maplibregl.Map, { selected, boundary }: Shown): void => {
  if (!map.getLayer('parcel-selected')) return
  map.setFilter('parcel-selected', named(selected === null || boundary !== null ? [] : [selected]))
}

/** Enlarges the dot of the active hit. */
export const paintActive = (map: maplibregl.Map, activeId: string | null): void => {
  map.setPaintProperty('hits', 'circle-radius', ['case', ['==', ['get', 'id'], activeId ?? ''], 9, 6])
  map.setPaintProperty('hits', 'circle-stroke-width', ['case', ['==', ['get', 'id'], activeId ?? ''], 3, 1.5])
}

/** The points of the boundary, if there is one, otherwise of the hits and the areas. */
export const pointsOf = (
  hits: readonly MapHit[],
  boundary: MultiPolygon | Point | null,
  areas: readonly CountyArea[] = [],
): [lon: number, lat: number][] =>
  boundary
    ? boundary.type === 'Point'
      ? [boundary.coordinates]
      : (boundary.coordinates.flat(2) as [number, number][])
    : [
        ...hits.map(({ lon, lat }): [number, number] => [lon, lat]),
        ...areas.flatMap(({ bbox: [west, south, east, north] }): [number, number][] => [
          [west, south],
          [east, north],
        ]),
      ]
