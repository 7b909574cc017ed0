/** A ring without its last position, which repeats the first one. */
export type Area = readonly (readonly [lon: number, lat: number])[]

const DIGITS = 6
const MIN_CORNERS = 3

/** An area as the page's address has it: `lon,lat` of each corner, separated by spaces. */
export const writeArea = (area: Area): string =>
  fitToWorld(area)
    .map((position) => position.map((degrees) => Number(degrees.toFixed(DIGITS))).join(','))
    .join(' ')

/**
 * A map that shows the antimeridian draws the other side of it at longitudes beyond 180. Moves the area to the longitudes of the API. One that
 * crosses the antimeridian is cut off there, because the API does not take such a polygon.
 */
const fitToWorld = (area: Area): Area => {
  const lons = area.map(([lon]) => lon)
  const middle = (Math.min(...lons) + Math.max(...lons)) / 2
  const shift = wrap(middle) - middle
  return area.map(([lon, lat]) => [Math.min(180, Math.max(-180, lon + shift)), lat])
}

/** The longitude from -180 to 180. */
const wrap = (lon: number): number => (Math.abs(lon) <= 180 ? lon : lon - 360 * Math.round(lon / 360))

/**
 * The box that a map shows as the page's address has it: west,south,east,north. If west is greater than east, it crosses the antimeridian.
 */
export const writeBox = ([west, south, east, north]: readonly [number, number, number, number]): string => {
  const lons = east - west >= 360 ? ([-180, 180] as const) : ([wrap(west), wrap(east)] as const)
  return [lons[0], south, lons[1], north].map((degrees) => degrees.toFixed(5)).join()
}

/** Reads what `writeArea` wrote. Fewer than three corners, or something else: empty. */
export const readArea = (text: string): Area => {
  const area = text.split(' ').flatMap((part): [number, number][] => {
    const [lon, lat, ...others] = part.split(',').map(Number)
    const isPosition = Math.abs(lon ?? 999) <= 180 && Math.abs(lat ?? 999) <= 90 && others.length === 0
    return isPosition ? [[lon as number, lat as number]] : []
  })
  return area.length < MIN_CORNERS ? [] : area
}

export const toPolygon = (area: Area) => ({
  type: 'Polygon' as const,
  coordinates: [[...area, area[0] ?? [0, 0]].map(([lon, lat]): [number, number] => [lon, lat])],
})

/** west, south, east, north; null for an empty area. */
export const boxAround = (area: Area): [number, number, number, number] | null => {
  if (area.length === 0) return null
  const [lons, lats] = [area.map(([lon]) => lon), area.map(([, lat]) => lat)]
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)]
}

/** The corners of a box that is written as west,south,east,north. */
export const cornersOf = (bbox: string): Area => {
  const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number)
  const eastOfWest = west > east ? east + 360 : east
  return [
    [west, south],
    [eastOfWest, south],
    [eastOfWest, north],
    [west, north],
  ]
}
