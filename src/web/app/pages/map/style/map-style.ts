import type { StyleSpecification } from 'maplibre-gl'
import type { Theme } from '../../../shell/theme'
import type { Archive } from '../base-map/archive'
import type { BaseMap } from '../base-map/base-map'
import { countyLayers, countyNames, countyPins, UNPLACED_COUNTIES, unplacedCounties } from './county-layers'
import { borderLayers, groundLayers, waterLayers } from './ground-layers'
import { houseNumbers, streetNames } from './label-layers'
import { parcelLayers } from './parcel-layers'
import { resultLayers } from './result-layers'

const BORDERS = 'Borders: US Census Bureau'
const WATER = 'Water: Natural Earth'
const NOTHING = { type: 'FeatureCollection' as const, features: [] }

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
      [UNPLACED_COUNTIES]: { type: 'geojson', data: NOTHING },
    },
    layers: [
      ...groundLayers(theme),
      ...(baseMap === null ? waterLayers(theme) : []),
      ...(baseMap?.layersOf(theme) ?? []),
      ...(archive === null ? [] : parcelLayers(theme, baseMap !== null)),
      ...borderLayers(theme),
      ...(archive?.hasOverview ? countyLayers(theme, archive) : []),
      ...(archive === null ? [] : [houseNumbers(theme)]),
      ...(baseMap === null ? [streetNames(theme)] : []),
      ...resultLayers(theme),
      ...unplacedCounties(theme),
      ...(archive?.hasOverview ? [countyPins(theme, archive), countyNames(theme, archive)] : []),
    ],
  }
}
