import { LngLatBounds } from 'maplibre-gl'

/** The box around points; null when there are none. */
export const boundsOf = (points: readonly [lon: number, lat: number][]): LngLatBounds | null => {
  const [first] = points
  if (first === undefined) return null
  return points.reduce((bounds, point) => bounds.extend(point), new LngLatBounds(first, first))
}
