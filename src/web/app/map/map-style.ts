import type { ExpressionSpecification, FilterSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { Theme } from '../shell/theme'
import type { ParcelName } from './map-parcel'

const COLORS = {
  light: {
    ground: '#f6f7f2',
    fills: ['#d3e2d6', '#dde6cd', '#cce0de', '#e6e6d2'],
    line: '#84a093',
    hit: '#0b6b62',
    hitEdge: '#ffffff',
    selected: '#d97706',
  },
  dark: {
    ground: '#0d1416',
    fills: ['#1d3233', '#24372f', '#1b2f3b', '#2b3530'],
    line: '#4f7070',
    hit: '#5bd6bf',
    hitEdge: '#0b1517',
    selected: '#f0b35a',
  },
} as const

/** The source and layer of the archive's parcels in a style. */
export const PARCELS = { source: 'parcels', 'source-layer': 'parcels' } as const

const NOTHING = { type: 'FeatureCollection' as const, features: [] }
/** Where a selected parcel is too small to see, a pin shows its place. */
const PIN_MAX_ZOOM = 14

/** The archive gives each parcel an id that is the same in every tile, so that hover spans tile borders. */
const byHover = <Value>(hovered: Value, otherwise: Value): ExpressionSpecification =>
  ['case', ['boolean', ['feature-state', 'hover'], false], hovered, otherwise] as unknown as ExpressionSpecification

/** Neighbors in different shades, as on a cadastral map. A parcel keeps its shade in every tile. */
const quilt = (theme: Theme): ExpressionSpecification => {
  const [first, second, third, other] = COLORS[theme].fills
  return ['match', ['%', ['to-number', ['id'], 0], 4], 0, first, 1, second, 2, third, other]
}

/** Matches the features of a parcel. A parcel in several tiles has one feature in each. */
export const named = (names: readonly ParcelName[]): FilterSpecification => [
  'in',
  ['concat', ['get', 'source'], '/', ['get', 'source_parcel_id']],
  ['literal', names.map(({ source, source_parcel_id }) => `${source}/${source_parcel_id}`)],
]

/** The layers for all parcels of the archive, for hits, and for the selected parcel. */
const parcelLayers = (theme: Theme): LayerSpecification[] => {
  const color = COLORS[theme]
  return [
    {
      id: 'parcels',
      type: 'fill',
      ...PARCELS,
      paint: {
        'fill-color': byHover<string | ExpressionSpecification>(color.hit, quilt(theme)),
        'fill-opacity': byHover(0.35, 1),
      },
    },
    {
      id: 'parcel-hits',
      type: 'fill',
      ...PARCELS,
      filter: named([]),
      paint: { 'fill-color': color.hit, 'fill-opacity': 0.45 },
    },
    {
      id: 'parcel-lines',
      type: 'line',
      ...PARCELS,
      paint: {
        'line-color': byHover(color.hit, color.line),
        'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 10, 0.1, 13, 0.3, 15, 0.8, 19, 2.5],
        // Opaque lines would cover lots that are small on the screen.
        'line-opacity': ['interpolate', ['linear'], ['zoom'], 12, 0.35, 15, 1],
      },
    },
    {
      id: 'parcel-selected',
      type: 'fill',
      ...PARCELS,
      filter: named([]),
      paint: { 'fill-color': color.selected, 'fill-opacity': 0.3 },
    },
  ]
}

/**
 * Parcels, the hits among them, and the selected parcel. There is no base map: only the archive is fetched.
 *
 * @param archiveKey as `openArchive` names it; null: there is no archive, and no parcels are drawn
 */
export const createMapStyle = (archiveKey: string | null, theme: Theme): StyleSpecification => {
  const color = COLORS[theme]
  return {
    version: 8,
    sources: {
      ...(archiveKey === null ? {} : { parcels: { type: 'vector', url: `pmtiles://${archiveKey}` } }),
      hits: { type: 'geojson', data: NOTHING },
      boundary: { type: 'geojson', data: NOTHING },
      areas: { type: 'geojson', data: NOTHING },
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': color.ground } },
      ...(archiveKey === null ? [] : parcelLayers(theme)),
      {
        id: 'areas',
        type: 'fill',
        source: 'areas',
        paint: { 'fill-color': color.hit, 'fill-opacity': 0.18 },
      },
      {
        id: 'area-lines',
        type: 'line',
        source: 'areas',
        paint: { 'line-color': color.hit, 'line-width': 1.2 },
      },
      {
        id: 'boundary',
        type: 'fill',
        source: 'boundary',
        paint: { 'fill-color': color.selected, 'fill-opacity': 0.3 },
      },
      {
        id: 'boundary-line',
        type: 'line',
        source: 'boundary',
        layout: { 'line-join': 'round' },
        paint: { 'line-color': color.selected, 'line-width': 3 },
      },
      {
        id: 'boundary-pin',
        type: 'circle',
        source: 'boundary',
        maxzoom: PIN_MAX_ZOOM,
        filter: ['==', ['geometry-type'], 'Point'],
        paint: {
          'circle-color': color.selected,
          'circle-radius': 7,
          'circle-stroke-color': color.hitEdge,
          'circle-stroke-width': 1.5,
        },
      },
      {
        id: 'hits',
        type: 'circle',
        source: 'hits',
        paint: {
          'circle-color': color.hit,
          'circle-radius': 6,
          'circle-stroke-color': color.hitEdge,
          'circle-stroke-width': 1.5,
        },
      },
    ],
  }
}
