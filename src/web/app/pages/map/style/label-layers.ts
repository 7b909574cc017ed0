import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { Theme } from '../../../shell/theme'
import { COLORS, FONT } from './palette'
import { PARCELS } from './parcel-layers'

const HOUSE_NUMBERS_MIN_ZOOM = 17
export const STREET_NAMES_MIN_ZOOM = 16

/** The house number that an address begins with. */
const HOUSE_NUMBER: ExpressionSpecification = [
  'slice',
  ['get', 'situs_address'],
  0,
  ['index-of', ' ', ['get', 'situs_address']],
]

/** The numbers of houses, on their lots. */
export const houseNumbers = (theme: Theme): LayerSpecification => ({
  id: 'house-numbers',
  type: 'symbol',
  ...PARCELS,
  minzoom: HOUSE_NUMBERS_MIN_ZOOM,
  filter: [
    'all',
    ['in', ' ', ['coalesce', ['get', 'situs_address'], '']],
    ['in', ['slice', ['coalesce', ['get', 'situs_address'], ''], 0, 1], '123456789'],
  ],
  layout: { 'text-field': HOUSE_NUMBER, 'text-size': 12, 'text-font': FONT },
  paint: { 'text-color': COLORS[theme].number, 'text-halo-color': COLORS[theme].ground, 'text-halo-width': 1.2 },
})

/** The names of streets, placed by the addresses of the lots (base-map/name-streets.ts). */
export const streetNames = (theme: Theme): LayerSpecification => ({
  id: 'street-names',
  type: 'symbol',
  source: 'street-names',
  minzoom: STREET_NAMES_MIN_ZOOM,
  layout: {
    'text-field': ['get', 'name'],
    'text-size': 12,
    'text-font': FONT,
    'text-letter-spacing': 0.08,
    'text-rotate': ['get', 'angle'],
    'text-rotation-alignment': 'map',
  },
  paint: { 'text-color': COLORS[theme].text, 'text-halo-color': COLORS[theme].ground, 'text-halo-width': 1.6 },
})
