import type { MultiPolygon } from '../map/map-parcel'

const MARGIN = 6

/**
 * The outlines of boundaries as paths of an SVG, all to the same scale and with north up. A degree of longitude is as wide as at the middle
 * of their box.
 */
export const drawOutlines = (
  boundaries: readonly MultiPolygon[],
  { width, height }: { width: number; height: number },
): string[] => {
  const positions = boundaries.flatMap(({ coordinates }) => coordinates.flat(2)) as [number, number][]
  const [lons, lats] = [positions.map(([lon]) => lon), positions.map(([, lat]) => lat)]
  const [west, east] = rangeOf(lons)
  const [south, north] = rangeOf(lats)
  const lonScale = Math.cos((((south + north) / 2) * Math.PI) / 180)
  const scale = Math.min(
    (width - 2 * MARGIN) / Math.max((east - west) * lonScale, Number.EPSILON),
    (height - 2 * MARGIN) / Math.max(north - south, Number.EPSILON),
  )
  const x = (lon: number) => (width / 2 + (lon - (west + east) / 2) * lonScale * scale).toFixed(1)
  const y = (lat: number) => (height / 2 - (lat - (south + north) / 2) * scale).toFixed(1)
  return boundaries.map(({ coordinates }) =>
    coordinates
      .flat()
      .map((ring) => `M${ring.map(([lon = 0, lat = 0]) => `${x(lon)} ${y(lat)}`).join('L')}Z`)
      .join(''),
  )
}

const rangeOf = (values: readonly number[]): [least: number, most: number] =>
  values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
