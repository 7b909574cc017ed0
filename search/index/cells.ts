/** A place in degrees, EPSG:4326. */
interface Place {
  lat: number
  lon: number
}

/**
 * Sides of cells, in degrees: about 1, 9, 71 and 570 km from south to north. A parcel is in one cell of each size, so "near
 * a place" is an equality filter over a few cells. Meilisearch's own `_geo` rewrites its whole tree with every task: 46 ms
 * with 5,000 points and 9 to 12 s with 1,000,000, even for a task of one document (1.21, 2026-11-21).
 */
const SIDES = [0.01, 0.08, 0.64, 5.12]
/** An area is covered by at most this many cells. The smallest side that needs no more is used. */
const MAX_CELLS = 64
const KM_PER_DEGREE = 111.195

/** The cells of a place, one of each size. */
export const cellsOf = ({ lat, lon }: Place): string[] =>
  SIDES.map((side, size) => cellName(size, Math.floor((lon + 180) / side), Math.floor((lat + 90) / side)))

/** Cells that together cover everything within `radiusKm` of a place, and some more; null when the area is too large to filter by. */
export const cellsAround = ({ lat, lon }: Place, radiusKm: number): string[] | null => {
  const latReach = radiusKm / KM_PER_DEGREE
  // Degrees of longitude become shorter toward the poles, so use the edge of the circle nearest to a pole.
  const polewards = Math.min(90, Math.abs(lat) + latReach)
  const lonReach = latReach / Math.max(1e-6, Math.cos((polewards * Math.PI) / 180))
  for (const [size, side] of SIDES.entries()) {
    const [west, east] = [Math.floor((lon - lonReach + 180) / side), Math.floor((lon + lonReach + 180) / side)]
    const south = Math.floor((Math.max(-90, lat - latReach) + 90) / side)
    const north = Math.floor((Math.min(90, lat + latReach) + 90) / side)
    const columns = Math.ceil(360 / side)
    if ((east - west + 1) * (north - south + 1) > MAX_CELLS || east - west >= columns) continue
    const cells: string[] = []
    for (let x = west; x <= east; x++) {
      for (let y = south; y <= north; y++) cells.push(cellName(size, ((x % columns) + columns) % columns, y))
    }
    return cells
  }
  return null
}

const cellName = (size: number, x: number, y: number): string => `${size}.${x}.${y}`
