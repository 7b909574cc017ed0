/** A ring without its last position, which repeats the first one. */
export type Area = readonly (readonly [lon: number, lat: number])[]

const MIN_CORNERS = 3

/** Reads an area of the page's address: `lon,lat` of each corner, separated by spaces. Fewer than three corners, or something else: empty. */
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
