import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl'
import {
  groundLayer,
  MAP_COLOURS,
  PARCELS,
  parcelFill,
  parcelLines,
  parcelSource,
  quilt,
} from '../app/map/parcel-layers'
import type { Theme } from '../app/shell/theme'

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

/** Parcels that show which is under the pointer, and which was chosen. */
export const mapStyle = (archiveKey: string, theme: Theme): StyleSpecification => {
  const { hit, about, line } = MAP_COLOURS[theme]
  return {
    version: 8,
    sources: { parcels: parcelSource(archiveKey) },
    layers: [
      groundLayer(theme),
      parcelFill(theme, {
        colour: byState<string | ExpressionSpecification>(about, hit, quilt(theme)),
        opacity: byState(0.4, 0.35, 1),
      }),
      parcelLines(theme, byState(about, hit, line)),
      {
        id: 'chosen-line',
        type: 'line',
        ...PARCELS,
        layout: { 'line-join': 'round' },
        paint: { 'line-color': about, 'line-width': 3, 'line-opacity': byState(1, 0, 0) },
      },
    ],
  }
}
