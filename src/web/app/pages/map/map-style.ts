import type * as maplibregl from 'maplibre-gl'
import type { ExpressionSpecification, FilterSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { Theme } from '../../shell/theme'
import type { Archive } from './base-map/archive'
import type { BaseMap } from './base-map/base-map'
import type { ParcelName } from './map-parcel'

export const COLORS = {
  light: {
    ground: '#f6f7f2',
    fills: ['#d3e2d6', '#dde6cd', '#cce0de', '#e6e6d2'],
    line: '#84a093',
    water: '#dfe8ea',
    river: '#b4cfd9',
    border: '#b3bcb0',
    county: '#0b6b62',
    text: '#33453f',
    number: '#5c6f68',
    hit: '#0b6b62',
    hitEdge: '#ffffff',
    selected: '#d97706',
    area: '#b4261e',
  },
  dark: {
    ground: '#0d1416',
    fills: ['#1d3233', '#24372f', '#1b2f3b', '#2b3530'],
    line: '#4f7070',
    water: '#081014',
    river: '#1f4353',
    border: '#33474a',
    county: '#5bd6bf',
    text: '#c9d8d4',
    number: '#9db3ae',
    hit: '#5bd6bf',
    hitEdge: '#0b1517',
    selected: '#f0b35a',
    area: '#ff9d94',
  },
} as const

/** The source and layer of the archive's parcels in a style. */
export const PARCELS = { source: 'parcels', 'source-layer': 'parcels' } as const

const BORDERS = 'Borders: US Census Bureau'
const WATER = 'Water: Natural Earth'
const IS_POINT: ExpressionSpecification = ['==', ['geometry-type'], 'Point']
const NOTHING = { type: 'FeatureCollection' as const, features: [] }
const HOUSE_NUMBERS_MIN_ZOOM = 17
export const STREET_NAMES_MIN_ZOOM = 16
/** The coast of the outlines is too coarse above this zoom. */
const LAND_MAX_ZOOM = 8
const COUNTY_PINS_MAX_ZOOM = 7
/** The counties' own parcels follow. */
const COUNTY_LABELS_MAX_ZOOM = 10
/** The layers whose features are parcels: boundaries, and points of parcels without one. */
export const PARCEL_LAYERS = ['parcels', 'parcel-points']
/** The layers whose features are counties. */
export const COUNTY_LAYERS = ['county-pins', 'county-areas']
/** Every layer that shows counties. */
const COUNTY_LAYERS_ALL = [...COUNTY_LAYERS, 'county-area-lines', 'county-names']
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
const parcelLayers = (theme: Theme, hasBaseMap: boolean): LayerSpecification[] => {
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

/** The house number that an address begins with. */
const HOUSE_NUMBER: ExpressionSpecification = [
  'slice',
  ['get', 'situs_address'],
  0,
  ['index-of', ' ', ['get', 'situs_address']],
]

const houseNumbers = (theme: Theme): LayerSpecification => ({
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

/** MapLibre draws these letters itself, with a font of the computer. */
const FONT = ['Noto Sans', 'sans-serif']

const fade = (from: string, to: string): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['zoom'],
  LAND_MAX_ZOOM - 2,
  from,
  LAND_MAX_ZOOM,
  to,
]

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

/** Lakes and rivers, at the zooms for which they are exact enough. */
const waterLayers = (theme: Theme): LayerSpecification[] => {
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
const borderLayers = (theme: Theme): LayerSpecification[] => {
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

/** The counties that have parcels, and how many parcels are where. */
const countyLayers = (theme: Theme, archive: Archive): LayerSpecification[] => {
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
      paint: {
        'circle-color': color,
        'circle-opacity': ['interpolate', ['linear'], ['log10', ['get', 'parcels']], 0, 0.25, 4, 0.8],
        'circle-radius': ['interpolate', ['linear'], ['log10', ['get', 'parcels']], 0, 2, 4, 9],
      },
    },
  ]
}

/** A pin shows a county that is too small to see. */
const countyPins = (theme: Theme, archive: Archive): LayerSpecification => ({
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

const COUNTY_NAME: ExpressionSpecification = [
  'format',
  ['get', 'name'],
  {},
  '\n',
  {},
  [
    'concat',
    ['number-format', ['get', 'parcels'], { locale: 'en-US' }],
    ['case', ['==', ['get', 'parcels'], 1], ' parcel', ' parcels'],
  ],
  { 'font-scale': 0.85 },
]

const countyNames = (theme: Theme, archive: Archive): LayerSpecification => ({
  id: 'county-names',
  type: 'symbol',
  ...inOverview('county_centers', archive),
  layout: {
    'text-field': COUNTY_NAME,
    'text-size': 14,
    'text-font': FONT,
    'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
    'text-radial-offset': 0.8,
  },
  paint: { 'text-color': COLORS[theme].text, 'text-halo-color': COLORS[theme].ground, 'text-halo-width': 2.5 },
})

/** The names of streets, placed by the addresses of the lots (base-map/street-names.ts). */
const streetNames = (theme: Theme): LayerSpecification => ({
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

/**
 * Counties, parcels, the hits among them, and the selected parcel. This service serves everything, so the map needs no other network.
 *
 * @param baseMap the operator's, below everything else; its streets have names of their own
 * @param archive null: there is no archive, and no parcels are drawn
 */
export const createMapStyle = (
  archive: Archive | null,
  theme: Theme,
  baseMap: BaseMap | null = null,
): StyleSpecification => {
  const color = COLORS[theme]
  return {
    version: 8,
    ...(baseMap?.sprite === undefined ? {} : { sprite: baseMap.sprite }),
    sources: {
      ...baseMap?.sources,
      ...(archive === null ? {} : { parcels: { type: 'vector', url: `pmtiles://${archive.key}` } }),
      hits: { type: 'geojson', data: NOTHING },
      boundary: { type: 'geojson', data: NOTHING },
      area: { type: 'geojson', data: NOTHING },
      states: { type: 'geojson', data: NOTHING, attribution: baseMap === null ? `${BORDERS}. ${WATER}` : BORDERS },
      water: { type: 'geojson', data: NOTHING },
      'state-names': { type: 'geojson', data: NOTHING },
      counties: { type: 'geojson', data: NOTHING },
      'county-labels': { type: 'geojson', data: NOTHING },
      'street-names': { type: 'geojson', data: NOTHING },
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': fade(color.water, color.ground) } },
      { id: 'land', type: 'fill', source: 'states', maxzoom: LAND_MAX_ZOOM, paint: { 'fill-color': color.ground } },
      ...(baseMap === null ? waterLayers(theme) : []),
      ...(baseMap?.layersOf(theme) ?? []),
      ...(archive === null ? [] : parcelLayers(theme, baseMap !== null)),
      ...borderLayers(theme),
      ...(archive?.hasOverview ? countyLayers(theme, archive) : []),
      ...(archive === null ? [] : [houseNumbers(theme)]),
      ...(baseMap === null ? [streetNames(theme)] : []),
      { id: 'area', type: 'fill', source: 'area', paint: { 'fill-color': color.area, 'fill-opacity': 0.06 } },
      {
        id: 'area-line',
        type: 'line',
        source: 'area',
        paint: { 'line-color': color.area, 'line-width': 2, 'line-dasharray': [3, 2] },
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
        filter: IS_POINT,
        paint: {
          'circle-color': color.selected,
          'circle-radius': 7,
          'circle-stroke-color': color.hitEdge,
          'circle-stroke-width': 1.5,
        },
      },
      {
        id: 'boundary-point',
        type: 'circle',
        source: 'boundary',
        minzoom: PIN_MAX_ZOOM,
        filter: ['all', IS_POINT, ['get', 'is_place']],
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
      ...(archive?.hasOverview ? [countyPins(theme, archive), countyNames(theme, archive)] : []),
    ],
  }
}
