import type * as maplibregl from 'maplibre-gl'
import type {
  ExpressionSpecification,
  FilterSpecification,
  LayerSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl'
import type { Theme } from '../../../shell/theme'
import type { Archive } from '../base-map/archive'
import { COLORS, FONT } from './palette'
import { PARCELS } from './parcel-layers'

/** Below this zoom, a county has a pin. From it on, a county spans several cells of the grid that counts parcels. */
const COUNTY_PINS_MAX_ZOOM = 7

/** The layers whose features are counties with parcels on the map. */
export const COUNTY_LAYERS = ['county-pins', 'county-areas']
/** The layer of counties whose parcels have no known location. */
export const UNPLACED_COUNTIES = 'unplaced-counties'
/** Every layer that shows counties. */
const COUNTY_LAYERS_ALL = [...COUNTY_LAYERS, UNPLACED_COUNTIES, 'county-area-lines', 'county-names', 'unplaced-names']

/** A layer of the archive's overview (tiles-build/overview), which ends where parcels begin. */
const inOverview = (name: string, { parcelsMinZoom }: Archive) => ({
  source: PARCELS.source,
  'source-layer': name,
  maxzoom: parcelsMinZoom,
})

/** Matches the counties of some sources. Null: all. */
const ofSources = (slugs: readonly string[] | null): FilterSpecification =>
  slugs === null
    ? ['literal', true]
    : ['any', ...slugs.map((slug): ExpressionSpecification => ['in', `,${slug},`, ['get', 'sources']])]

/** Shows only the counties of some sources. Null: all, with the numbers of their parcels. */
export const filterCounties = (map: maplibregl.Map, slugs: readonly string[] | null): void => {
  if (map.getLayer('parcel-counts'))
    map.setLayoutProperty('parcel-counts', 'visibility', slugs === null ? 'visible' : 'none')
  for (const layer of COUNTY_LAYERS_ALL) if (map.getLayer(layer)) map.setFilter(layer, ofSources(slugs))
}

/** The counties that have parcels, and how many parcels are where. */
export const countyLayers = (theme: Theme, archive: Archive): LayerSpecification[] => {
  const color = COLORS[theme].county
  return [
    {
      id: 'county-areas',
      type: 'fill',
      ...inOverview('counties', archive),
      paint: { 'fill-color': color, 'fill-opacity': 0.14 },
    },
    {
      id: 'county-area-lines',
      type: 'line',
      ...inOverview('counties', archive),
      paint: { 'line-color': color, 'line-width': 1.4 },
    },
    {
      id: 'parcel-counts',
      type: 'circle',
      ...inOverview('parcel_counts', archive),
      minzoom: COUNTY_PINS_MAX_ZOOM,
      paint: {
        'circle-color': color,
        'circle-opacity': ['interpolate', ['linear'], ['log10', ['get', 'parcels']], 0, 0.25, 4, 0.8],
        'circle-radius': ['interpolate', ['linear'], ['log10', ['get', 'parcels']], 0, 2, 4, 9],
      },
    },
  ]
}

/** A pin shows a county that is too small to see. */
export const countyPins = (theme: Theme, archive: Archive): LayerSpecification => ({
  id: 'county-pins',
  type: 'circle',
  ...inOverview('county_centers', archive),
  maxzoom: COUNTY_PINS_MAX_ZOOM,
  paint: {
    'circle-color': COLORS[theme].county,
    'circle-radius': 6,
    'circle-stroke-color': COLORS[theme].hitEdge,
    'circle-stroke-width': 1.5,
  },
})

/** A ring in the middle of each county whose parcels have no known location, with its name. */
export const unplacedCounties = (theme: Theme): LayerSpecification[] => [
  {
    id: UNPLACED_COUNTIES,
    type: 'circle',
    source: UNPLACED_COUNTIES,
    paint: {
      'circle-color': COLORS[theme].ground,
      'circle-radius': 5,
      'circle-stroke-color': COLORS[theme].county,
      'circle-stroke-width': 2.5,
    },
  },
  { id: 'unplaced-names', source: UNPLACED_COUNTIES, ...namesOf(theme, nameAnd('not on the map')) },
]

/** The name of a county, and below it the number of its parcels. */
const nameAnd = (note = ''): ExpressionSpecification => [
  'format',
  ['get', 'name'],
  {},
  '\n',
  {},
  [
    'concat',
    ['number-format', ['get', 'parcels'], { locale: 'en-US' }],
    ['case', ['==', ['get', 'parcels'], 1], ' parcel', ' parcels'],
    // On a line of its own, so that a phone shows all of it.
    note === '' ? '' : `\n${note}`,
  ],
  { 'font-scale': 0.85 },
]

const namesOf = (
  theme: Theme,
  text: ExpressionSpecification,
): Pick<SymbolLayerSpecification, 'type' | 'layout' | 'paint'> => ({
  type: 'symbol',
  layout: {
    'text-field': text,
    'text-size': 14,
    'text-font': FONT,
    'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
    'text-radial-offset': 0.8,
  },
  paint: { 'text-color': COLORS[theme].text, 'text-halo-color': COLORS[theme].ground, 'text-halo-width': 2.5 },
})

/** The name of each county, and the number of its parcels. */
export const countyNames = (theme: Theme, archive: Archive): LayerSpecification => ({
  id: 'county-names',
  ...inOverview('county_centers', archive),
  ...namesOf(theme, nameAnd()),
})
