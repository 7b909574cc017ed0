/** A ring without its last position, which repeats the first one. */
export type Area = readonly (readonly [lon: number, lat: number])[]

const DIGITS = 6
const MIN_CORNERS = 3

/** An area as the page's address has it: `lon,lat` of each corner, separated by spaces. */
export const writeArea = (area: Area): string =>
  area.map((position) => position.map((degrees) => Number(degrees.toFixed(DIGITS))).join(',')).join(' ')

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
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ]
}
