import { LngLatBounds } from 'maplibre-gl'

/** The box around points; null when there are none. */
export const boundsOf = (points: readonly [lon: number, lat: number][]): LngLatBounds | null => {
  const [first] = points
  if (first === undefined) return null
  return points.reduce((bounds, point) => bounds.extend(point), new LngLatBounds(first, first))
}

/**
 * The free space around what a map is to show, in pixels. A map that is too small for its padding does not move at all: its view stays at
 * 0/0/0.
 */
export const paddingIn = ({ clientWidth, clientHeight }: HTMLElement, paddingPx = 60): number =>
  Math.min(paddingPx, clientWidth / 4, clientHeight / 4)
