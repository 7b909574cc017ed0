import { type LngLat, LngLatBounds, MercatorCoordinate } from 'maplibre-gl'
import type { Bbox } from '../../../../../../core/geometry/bbox'

export const MAX_ZOOM = 20
/** Of the world at zoom 0, in pixels. */
const WORLD_SIZE = 512

/** The box around points; null when there are none. */
export const boundsOf = (points: readonly [lon: number, lat: number][]): LngLatBounds | null => {
  const [first] = points
  if (first === undefined) return null
  return points.reduce((bounds, point) => bounds.extend(point), new LngLatBounds(first, first))
}

/**
 * The free space around what a map is to show, in pixels: more beside it, where the buttons of the map would cover the names of counties.
 * A map that is too small for its padding does not move at all: its view stays at 0/0/0.
 */
export const paddingIn = ({ clientWidth, clientHeight }: HTMLElement, most = { beside: 100, above: 60 }) => {
  const beside = Math.min(most.beside, clientWidth / 6)
  const above = Math.min(most.above, clientHeight / 4)
  return { left: beside, right: beside, top: above, bottom: above }
}

/** The view that `fitBounds` would choose for a map in the element. In an element without a size it is the lowest zoom. */
export const viewOfBounds = (
  [west, south, east, north]: Bbox,
  element: HTMLElement,
): { center: LngLat; zoom: number } => {
  const { x: left, y: bottom } = MercatorCoordinate.fromLngLat([west, south])
  const { x: right, y: top } = MercatorCoordinate.fromLngLat([east, north])
  const padding = paddingIn(element)
  const scale = Math.min(
    (element.clientWidth - padding.left - padding.right) / (right - left),
    (element.clientHeight - padding.top - padding.bottom) / (bottom - top),
  )
  return {
    center: new MercatorCoordinate((left + right) / 2, (bottom + top) / 2).toLngLat(),
    zoom: Math.min(MAX_ZOOM, Math.max(0, Math.log2(scale / WORLD_SIZE))),
  }
}
