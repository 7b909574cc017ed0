import type { LayerSpecification } from 'maplibre-gl'
import type { Theme } from '../../../shell/theme'
import { COLORS } from './palette'
import { IS_POINT } from './parcel-layers'

/** Where a selected parcel is too small to see, a pin shows its place. */
const PIN_MAX_ZOOM = 14

/** The area that is searched, the boundary of the selected parcel, and the hits. */
export const resultLayers = (theme: Theme): LayerSpecification[] => {
  const color = COLORS[theme]
  return [
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
  ]
}
