import type { DataDrivenPropertyValueSpecification, LayerSpecification, SourceSpecification } from 'maplibre-gl'
import type { Theme } from '../theme'

export const MAP_COLOURS = {
  light: { ground: '#e9ede8', fill: '#d3e0d8', line: '#86a094', hit: '#0b6b62', hitEdge: '#ffffff', about: '#d97706' },
  dark: { ground: '#12191b', fill: '#1f3133', line: '#4c6c6c', hit: '#5bd6bf', hitEdge: '#0b1517', about: '#f0b35a' },
} as const

/** Where in a style the archive's parcels are. */
export const PARCELS = { source: 'parcels', 'source-layer': 'parcels' } as const

/** `archiveKey`: as `openArchive` names it. */
export const parcelSource = (archiveKey: string): SourceSpecification => ({
  type: 'vector',
  url: `pmtiles://${archiveKey}`,
})

/** Under parcels there is plain ground: nothing is fetched but the archive. */
export const groundLayer = (theme: Theme): LayerSpecification => ({
  id: 'ground',
  type: 'background',
  paint: { 'background-color': MAP_COLOURS[theme].ground },
})

interface FillPaint {
  colour: DataDrivenPropertyValueSpecification<string>
  opacity: DataDrivenPropertyValueSpecification<number>
}

export const parcelFill = (
  theme: Theme,
  { colour, opacity }: FillPaint = { colour: MAP_COLOURS[theme].fill, opacity: 0.85 },
): LayerSpecification => ({
  id: 'parcels',
  type: 'fill',
  ...PARCELS,
  paint: { 'fill-color': colour, 'fill-opacity': opacity },
})

export const parcelLines = (
  theme: Theme,
  colour: DataDrivenPropertyValueSpecification<string> = MAP_COLOURS[theme].line,
): LayerSpecification => ({
  id: 'parcel-lines',
  type: 'line',
  ...PARCELS,
  paint: {
    'line-color': colour,
    'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 10, 0.1, 13, 0.3, 15, 0.8, 19, 2.5],
  },
})
