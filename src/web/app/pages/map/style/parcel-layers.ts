import type { ExpressionSpecification, FilterSpecification, LayerSpecification } from 'maplibre-gl'
import type { Theme } from '../../../shell/theme'
import { keyOf, type ParcelName } from '../map-parcel'
import { COLORS } from './palette'

/** The source and layer of the archive's parcels in a style. */
export const PARCELS = { source: 'parcels', 'source-layer': 'parcels' } as const

/** The layers whose features are parcels: boundaries, and points of parcels without one. */
export const PARCEL_LAYERS = ['parcels', 'parcel-points']

export const IS_POINT: ExpressionSpecification = ['==', ['geometry-type'], 'Point']

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
  ['literal', names.map(keyOf)],
]

/** The layers for all parcels of the archive, for hits, and for the selected parcel. */
export const parcelLayers = (theme: Theme, hasBaseMap: boolean): LayerSpecification[] => {
  const color = COLORS[theme]
  return [
    {
      id: 'parcels',
      type: 'fill',
      ...PARCELS,
      filter: ['!', IS_POINT],
      paint: {
        'fill-color': byHover<string | ExpressionSpecification>(color.hit, quilt(theme)),
        // A base map shows through.
        'fill-opacity': byHover(0.35, hasBaseMap ? 0.3 : 1),
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
      filter: ['!', IS_POINT],
      paint: {
        'line-color': byHover(color.hit, color.line),
        'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 10, 0.1, 13, 0.3, 15, 0.8, 19, 2.5],
        // Opaque lines would cover lots that are small on the screen.
        'line-opacity': ['interpolate', ['linear'], ['zoom'], 12, 0.35, 15, 1],
      },
    },
    {
      id: 'parcel-points',
      type: 'circle',
      ...PARCELS,
      filter: IS_POINT,
      paint: {
        'circle-color': byHover(color.hit, color.line),
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 12, 1.5, 15, 3, 18, 6],
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
