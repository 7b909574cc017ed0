import { clipRing, clipRoom } from './clip'
import { areaOf, roundRing, thicken, touchesTile } from './corners'
import { RECORD } from './record'
import { createShapeWriter, POINT, POLYGON, type ShapeWriter } from './shape-writer'
import { gridOf, LOTS_ZOOM, snapToGrid } from './simplify'
import { BUFFER, EXTENT, tileSteps } from './tile-math'

export interface GeometryEncoder {
  /** Begins a tile. With `keepsAll` nothing is simplified, and no small parcel or point is dropped. */
  begin: (z: number, x: number, y: number, keepsAll: boolean) => void
  /** Encodes the part of a record that is in the tile, as a shape. `start` is the record's first word. Returns false if there is none. */
  draw: (start: number) => boolean
  /** The last shape. All shapes are valid until the next `begin`. */
  last: ShapeWriter['last']
}

/** The geometry of a point in a record (parse-geometry.ts). A polygon has more words. */
const POINT_WORDS = 5

/** Encodes polygons and points of a bucket as geometries (Mapbox Vector Tile 2.1, 4.3). Reuses buffers between records. */
export const createGeometryEncoder = (words: Uint32Array): GeometryEncoder => {
  const shape = createShapeWriter()
  let ring = new Float64Array(1 << 10)
  let spare = new Float64Array(1 << 10)
  let corners = new Int32Array(1 << 10)

  // The tile. Its box includes the buffer, and is in world coordinates as the records are; `origin` is in units of the tile.
  let scale = 1
  let originX = 0
  let originY = 0
  let all = true
  let hasPoints = true
  let grid = 1
  let minX = 0
  let minY = 0
  let maxX = 0
  let maxY = 0

  const begin = (z: number, x: number, y: number, keepsAll: boolean): void => {
    scale = EXTENT / tileSteps(z)
    originX = x * EXTENT
    originY = y * EXTENT
    all = keepsAll
    hasPoints = keepsAll || z >= LOTS_ZOOM
    grid = gridOf(z)
    minX = (originX - BUFFER) / scale
    minY = (originY - BUFFER) / scale
    maxX = (originX + EXTENT + BUFFER) / scale
    maxY = (originY + EXTENT + BUFFER) / scale
    shape.beginTile()
  }

  const draw = (start: number): boolean => {
    shape.begin()
    if (words[start + RECORD.geometryWords] === POINT_WORDS) {
      if (hasPoints) drawPoint(words[start + RECORD.box] as number, words[start + RECORD.box + 1] as number)
      return shape.end(POINT)
    }
    drawPolygons(start)
    return shape.end(POLYGON)
  }

  const drawPoint = (x: number, y: number): void => {
    shape.addPoint(Math.round(x * scale - originX), Math.round(y * scale - originY))
  }

  const drawPolygons = (start: number): void => {
    const box = start + RECORD.box
    const isWhole =
      (words[box] as number) >= minX &&
      (words[box + 1] as number) >= minY &&
      (words[box + 2] as number) <= maxX &&
      (words[box + 3] as number) <= maxY
    let at = start + RECORD.geometry
    for (let polygons = words[at++] as number; polygons > 0; polygons--) {
      let isOuter = true
      let isDrawn = true
      for (let rings = words[at++] as number; rings > 0; rings--) {
        const count = words[at++] as number
        // If the outer ring is not drawn, neither are its holes.
        if (isDrawn) {
          const ringIsDrawn = drawRing(at, count, isOuter, isWhole)
          if (isOuter) isDrawn = ringIsDrawn
        }
        isOuter = false
        at += 2 * count
      }
    }
  }

  /** Draws the ring of `count` points that begins at the word `at`. False: it has no area in the tile. */
  const drawRing = (at: number, count: number, isOuter: boolean, isWhole: boolean): boolean => {
    placeRing(at, count)
    const left = isWhole ? count : clipRing(ring, spare, count, -BUFFER, EXTENT + BUFFER)
    let cornerCount = roundRing(ring, left, corners, all)
    let area = areaOf(corners, cornerCount)
    if (area === 0) {
      // Thinner than a unit. When all parcels must be kept, draw it one unit wide, unless it is only in the tile's buffer.
      if (!(all && isOuter && touchesTile(corners, cornerCount))) return false
      cornerCount = thicken(corners, cornerCount, ring, left)
      area = areaOf(corners, cornerCount)
    }
    shape.addRing(corners, cornerCount, area > 0 === isOuter)
    return true
  }

  /** Puts the points of a ring into `ring`, in units of the tile. */
  const placeRing = (at: number, count: number): void => {
    if (ring.length < clipRoom(count)) {
      ring = new Float64Array(2 * clipRoom(count))
      spare = new Float64Array(2 * clipRoom(count))
      corners = new Int32Array(2 * clipRoom(count))
    }
    for (let point = 0; point < count; point++) {
      const x = (words[at + 2 * point] as number) * scale
      const y = (words[at + 2 * point + 1] as number) * scale
      ring[2 * point] = (all ? x : snapToGrid(x, grid)) - originX
      ring[2 * point + 1] = (all ? y : snapToGrid(y, grid)) - originY
    }
  }

  return { begin, draw, last: shape.last }
}
