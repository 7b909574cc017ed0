import type * as maplibregl from 'maplibre-gl'
import type { CountyArea } from '../counties/county-areas'
import { paddingIn } from './bounds'

/** Whether the view shows a feature of the layers. Checks a few points first, because listing everything in view takes time. */
export const shows = (map: maplibregl.Map, names: readonly string[]): boolean => {
  const layers = names.filter((name) => map.getLayer(name))
  if (layers.length === 0) return false
  const { clientWidth, clientHeight } = map.getContainer()
  const places = [0.5, 0.2, 0.8]
  return (
    places.some((x) =>
      places.some((y) => map.queryRenderedFeatures([x * clientWidth, y * clientHeight], { layers }).length > 0),
    ) || map.queryRenderedFeatures({ layers }).length > 0
  )
}

/** Flies to a box, or jumps there if the person prefers less motion. */
export const flyTo = (map: maplibregl.Map, [west, south, east, north]: CountyArea['bbox']): void => {
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches
  const padding = paddingIn(map.getContainer(), { beside: 30, above: 30 })
  map.fitBounds([west, south, east, north], { padding, animate })
}
