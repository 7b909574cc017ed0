import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl'

const LIGHT = { ground: '#eef0ec', fill: '#cfe0d6', line: '#7d9a8f', hover: '#f4b942', chosen: '#0f766e' }
const DARK = { ground: '#12181a', fill: '#22383a', line: '#4c6f70', hover: '#d9a441', chosen: '#4fd1b8' }

/** A feature's own id is given by the archive, so that hover and choice survive tile borders and zooms. */
const byState = <Value>(chosen: Value, hover: Value, otherwise: Value): ExpressionSpecification =>
  [
    'case',
    ['boolean', ['feature-state', 'chosen'], false],
    chosen,
    ['boolean', ['feature-state', 'hover'], false],
    hover,
    otherwise,
  ] as unknown as ExpressionSpecification

/** Parcels on a plain ground: nothing is fetched but the archive. */
export const mapStyle = (archiveUrl: string, dark: boolean): StyleSpecification => {
  const colour = dark ? DARK : LIGHT
  return {
    version: 8,
    sources: { parcels: { type: 'vector', url: `pmtiles://${archiveUrl}` } },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': colour.ground } },
      {
        id: 'parcels',
        type: 'fill',
        source: 'parcels',
        'source-layer': 'parcels',
        paint: {
          'fill-color': byState(colour.chosen, colour.hover, colour.fill),
          'fill-opacity': byState(0.75, 0.65, 0.8),
        },
      },
      {
        id: 'outlines',
        type: 'line',
        source: 'parcels',
        'source-layer': 'parcels',
        paint: {
          'line-color': byState(colour.chosen, colour.hover, colour.line),
          'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 10, 0.1, 13, 0.3, 15, 0.8, 19, 2.5],
        },
      },
    ],
  }
}
