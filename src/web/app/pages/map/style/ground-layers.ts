import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { Theme } from '../../../shell/theme'
import { COLORS, FONT } from './palette'

/** The coast of the outlines is too coarse above this zoom. */
const LAND_MAX_ZOOM = 8

/** The counties' own parcels follow. */
const COUNTY_LABELS_MAX_ZOOM = 10

const fade = (from: string, to: string): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['zoom'],
  LAND_MAX_ZOOM - 2,
  from,
  LAND_MAX_ZOOM,
  to,
]

/** The sea, and the land as far as the outlines are exact enough. */
export const groundLayers = (theme: Theme): LayerSpecification[] => {
  const { ground, water } = COLORS[theme]
  return [
    { id: 'ground', type: 'background', paint: { 'background-color': fade(water, ground) } },
    { id: 'land', type: 'fill', source: 'states', maxzoom: LAND_MAX_ZOOM, paint: { 'fill-color': ground } },
  ]
}

/** Lakes and rivers, at the zooms for which they are exact enough. */
export const waterLayers = (theme: Theme): LayerSpecification[] => {
  const { water, river } = COLORS[theme]
  const base = { source: 'water', maxzoom: LAND_MAX_ZOOM + 1 }
  const opacity: ExpressionSpecification = ['interpolate', ['linear'], ['zoom'], LAND_MAX_ZOOM, 1, LAND_MAX_ZOOM + 1, 0]
  return [
    {
      id: 'lakes',
      type: 'fill',
      ...base,
      filter: ['==', ['get', 'kind'], 'lake'],
      paint: { 'fill-color': water, 'fill-opacity': opacity },
    },
    {
      id: 'rivers',
      type: 'line',
      ...base,
      layout: { 'line-join': 'round' },
      paint: {
        'line-color': river,
        'line-opacity': opacity,
        'line-width': ['interpolate', ['linear'], ['zoom'], 3, 0.5, 8, 2],
      },
    },
  ]
}

/** Borders of states and counties. */
export const borderLayers = (theme: Theme): LayerSpecification[] => {
  const color = COLORS[theme]
  const label = { 'text-color': color.text, 'text-halo-color': color.ground, 'text-halo-width': 1.6 }
  return [
    {
      id: 'county-lines',
      type: 'line',
      source: 'counties',
      minzoom: 5,
      paint: { 'line-color': color.border, 'line-width': 0.7 },
    },
    {
      id: 'state-lines',
      type: 'line',
      source: 'states',
      paint: { 'line-color': color.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 3, 0.8, 10, 2.5] },
    },
    {
      id: 'state-names',
      type: 'symbol',
      source: 'state-names',
      minzoom: 3.5,
      maxzoom: 7,
      layout: { 'text-field': ['get', 'name'], 'text-size': 12, 'text-font': FONT },
      paint: { ...label, 'text-opacity': 0.6 },
    },
    {
      id: 'county-labels',
      type: 'symbol',
      source: 'county-labels',
      minzoom: 7,
      maxzoom: COUNTY_LABELS_MAX_ZOOM,
      layout: { 'text-field': ['get', 'name'], 'text-size': 11, 'text-font': FONT },
      paint: { ...label, 'text-opacity': 0.6 },
    },
  ]
}
