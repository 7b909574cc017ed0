import * as maplibregl from 'maplibre-gl'
import type { Theme } from '../../../shell/theme'
import type { Archive } from '../base-map/archive'
import type { BaseMap } from '../base-map/base-map'
import { createMapStyle } from '../style/map-style'
import { MAX_ZOOM, viewOfBounds } from './bounds'

/** The middle of the contiguous United States. */
const WHOLE_COUNTRY = { center: [-98, 39], zoom: 3 } satisfies View

export type View = Pick<maplibregl.MapOptions, 'center' | 'zoom' | 'bearing' | 'pitch'>

interface OpenedMap {
  archive: Archive | null
  baseMap: BaseMap | null
  theme: Theme
  /** Where the map opens. Null: where the archive has parcels. */
  view: View | null
  /** Whether the page's address contains the zoom, latitude and longitude of the map. */
  isInAddress: boolean
}

/** A map in the element, with its controls. */
export const openMap = (
  element: HTMLElement,
  { archive, baseMap, theme, view, isInAddress }: OpenedMap,
): maplibregl.Map => {
  // Not the option `bounds`: with it, maplibre-gl first writes 0/0/0 into the URL, and the view of the bounds up to a second later.
  const whole = archive === null ? WHOLE_COUNTRY : viewOfBounds(archive.bounds, element)
  const map = new maplibregl.Map({
    container: element,
    style: createMapStyle(archive, theme, baseMap),
    ...(view ?? whole),
    maxZoom: MAX_ZOOM,
    hash: isInAddress,
    attributionControl: { compact: true },
  })
  map.addControl(new maplibregl.NavigationControl({ visualizePitch: false }), 'bottom-right')
  map.addControl(new maplibregl.ScaleControl({ unit: 'imperial' }), 'bottom-left')
  map.getCanvas().setAttribute('aria-label', 'Map of parcels')
  return map
}

export const viewOf = (map: maplibregl.Map): View => ({
  center: map.getCenter(),
  zoom: map.getZoom(),
  bearing: map.getBearing(),
  pitch: map.getPitch(),
})

/** Removes the map. maplibre-gl then also removes the hash of the URL, which may be that of the next page. `path`: of the map's page. */
export const closeMap = (map: maplibregl.Map, path: string): void => {
  const { href, pathname } = location
  map.remove()
  if (pathname !== path) history.replaceState(history.state, '', href)
}
