import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { Theme } from '../shell/theme'
import { groundLayer, MAP_COLOURS, PARCELS, parcelFill, parcelLines, parcelSource } from './parcel-layers'

const NOTHING = { type: 'FeatureCollection' as const, features: [] }

/** Parcels, hits among them, and the boundary of the one that the page is about. `archiveKey` null: there is none, and no parcels. */
export const createMapStyle = (archiveKey: string | null, theme: Theme): StyleSpecification => {
  const colour = MAP_COLOURS[theme]
  const hitParcels: LayerSpecification = {
    id: 'parcel-hits',
    type: 'fill',
    ...PARCELS,
    filter: ['literal', false],
    paint: { 'fill-color': colour.hit, 'fill-opacity': 0.45 },
  }
  return {
    version: 8,
    sources: {
      ...(archiveKey === null ? {} : { parcels: parcelSource(archiveKey) }),
      hits: { type: 'geojson', data: NOTHING },
      boundary: { type: 'geojson', data: NOTHING },
    },
    layers: [
      groundLayer(theme),
      ...(archiveKey === null ? [] : [parcelFill(theme), hitParcels, parcelLines(theme)]),
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
