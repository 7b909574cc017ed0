import type { StyleSpecification } from 'maplibre-gl'
import type { Theme } from '../theme'

const COLOURS = {
  light: { ground: '#e9ede8', fill: '#d3e0d8', line: '#86a094', hit: '#0b6b62', hitEdge: '#ffffff', about: '#d97706' },
  dark: { ground: '#12191b', fill: '#1f3133', line: '#4c6c6c', hit: '#5bd6bf', hitEdge: '#0b1517', about: '#f0b35a' },
} as const

const NOTHING = { type: 'FeatureCollection' as const, features: [] }

/** Parcels on a plain ground: nothing is fetched but the archive. `archiveKey` null: there is none, and no boundaries. */
export const createMapStyle = (archiveKey: string | null, theme: Theme): StyleSpecification => {
  const colour = COLOURS[theme]
  const parcels = { source: 'parcels', 'source-layer': 'parcels' }
  return {
    version: 8,
    sources: {
      ...(archiveKey === null ? {} : { parcels: { type: 'vector', url: `pmtiles://${archiveKey}` } }),
      hits: { type: 'geojson', data: NOTHING },
      boundary: { type: 'geojson', data: NOTHING },
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': colour.ground } },
      ...(archiveKey === null
        ? []
        : ([
            { id: 'parcels', type: 'fill', ...parcels, paint: { 'fill-color': colour.fill, 'fill-opacity': 0.85 } },
            {
              id: 'parcel-hits',
              type: 'fill',
              ...parcels,
              filter: ['literal', false],
              paint: { 'fill-color': colour.hit, 'fill-opacity': 0.45 },
            },
            {
              id: 'parcel-lines',
              type: 'line',
              ...parcels,
              paint: {
                'line-color': colour.line,
                'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 10, 0.1, 13, 0.3, 15, 0.8, 19, 2.5],
              },
            },
          ] satisfies StyleSpecification['layers'])),
      { id: 'boundary', type: 'fill', source: 'boundary', paint: { 'fill-color': colour.about, 'fill-opacity': 0.3 } },
      {
        id: 'boundary-line',
        type: 'line',
        source: 'boundary',
        layout: { 'line-join': 'round' },
        paint: { 'line-color': colour.about, 'line-width': 3 },
      },
      {
        id: 'hits',
        type: 'circle',
        source: 'hits',
        paint: {
          'circle-color': colour.hit,
          'circle-radius': 6,
          'circle-stroke-color': colour.hitEdge,
          'circle-stroke-width': 1.5,
        },
      },
    ],
  }
}
