import type {
  DataDrivenPropertyValueSpecification,
  ExpressionSpecification,
  LayerSpecification,
  SourceSpecification,
} from 'maplibre-gl'
import type { Theme } from '../shell/theme'

export const MAP_COLOURS = {
  light: {
    ground: '#f6f7f2',
    fills: ['#d3e2d6', '#dde6cd', '#cce0de', '#e6e6d2'],
    line: '#84a093',
    hit: '#0b6b62',
    hitEdge: '#ffffff',
    about: '#d97706',
  },
  dark: {
    ground: '#0d1416',
    fills: ['#1d3233', '#24372f', '#1b2f3b', '#2b3530'],
    line: '#4f7070',
    hit: '#5bd6bf',
    hitEdge: '#0b1517',
    about: '#f0b35a',
  },
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

/** Neighbours in shades of their own, as on a cadastral map: by the id that the archive gives, which is theirs in every tile. */
export const quilt = (theme: Theme): ExpressionSpecification => {
  const [first, second, third, other] = MAP_COLOURS[theme].fills
  return ['match', ['%', ['to-number', ['id'], 0], 4], 0, first, 1, second, 2, third, other]
}

interface FillPaint {
  colour: DataDrivenPropertyValueSpecification<string>
  opacity: DataDrivenPropertyValueSpecification<number>
}

export const parcelFill = (
  theme: Theme,
  { colour, opacity }: FillPaint = { colour: quilt(theme), opacity: 1 },
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
    // Where lots are small on the screen, their lines would be all that is seen.
    'line-opacity': ['interpolate', ['linear'], ['zoom'], 12, 0.35, 15, 1],
  },
})
