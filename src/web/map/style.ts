import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl'
import { groundLayer, MAP_COLOURS, parcelFill, parcelLines, parcelSource } from '../app/map/parcel-layers'
import type { Theme } from '../app/theme'

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
  const { hit, about, fill, line } = MAP_COLOURS[theme]
  return {
    version: 8,
    sources: { parcels: parcelSource(archiveKey) },
    layers: [
      groundLayer(theme),
      parcelFill(theme, { colour: byState(hit, about, fill), opacity: byState(0.75, 0.65, 0.85) }),
      parcelLines(theme, byState(hit, about, line)),
    ],
  }
}
