import { clipRing, clipRoom } from './clip'
import { areaOf, roundRing, thicken, touchesTile } from './corners'
import { RECORD } from './record'
import { gridOf, LOTS_ZOOM, snapToGrid } from './simplify'
import { BUFFER, EXTENT, tileSteps } from './tile-math'
import { MAX_INT, sizeOfInt, withRoom, writeInt, zigzag } from './varint'

export interface GeometryEncoder {
  /** Begins a tile. With `keepsAll` nothing is simplified, and no small parcel or point is dropped. */
  begin: (z: number, x: number, y: number, keepsAll: boolean) => void
  /** Encodes the part of a record that is in the tile, as a shape. `start` is the record's first word. Returns false if there is none. */
  draw: (start: number) => boolean
  /** Where the last shape is: the fields of a Feature that have its type and geometry. All shapes are valid until the next `begin`. */
  last: { bytes: Uint8Array<ArrayBuffer>; start: number; end: number }
}

const MOVE_TO_ONE = 9
const LINE_TO = 2
const CLOSE_PATH = 15
/** Fields of a Feature, with their wire types. */
const TYPE = 0x18
const GEOMETRY = 0x22
const [POINT, POLYGON] = [1, 3]
/** Left before a geometry, because its length comes first but is known last. */
const HEAD_ROOM = 3 + MAX_INT
/** The geometry of a point in a record (parse-geometry.ts). A polygon has more words. */
const POINT_WORDS = 5

/** Encodes polygons and points of a bucket as geometries (Mapbox Vector Tile 2.1, 4.3). Reuses buffers between records. */
export const createGeometryEncoder = (words: Uint32Array): GeometryEncoder => {
  let geometry = new Uint8Array(1 << 16)
  const last = { bytes: geometry, start: 0, end: 0 }
  let geometryBytes = 0
  let ring = new Float64Array(1 << 10)
  let spare = new Float64Array(1 << 10)
  let drawn = new Int32Array(1 << 10)

  let scale = 1
  let originX = 0
  let originY = 0
  let all = true
  let hasPoints = true
  let grid = 1
  let cursorX = 0
  let cursorY = 0
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
    geometryBytes = 0
    grid = gridOf(z)
    minX = (originX - BUFFER) / scale
    minY = (originY - BUFFER) / scale
    maxX = (originX + EXTENT + BUFFER) / scale
    maxY = (originY + EXTENT + BUFFER) / scale
  }

  const draw = (start: number): boolean => {
    geometry = withRoom(geometry, geometryBytes, HEAD_ROOM)
    geometryBytes += HEAD_ROOM
    const first = geometryBytes
    if (words[start + RECORD.geometryWords] === POINT_WORDS) {
      if (hasPoints) writePoint(words[start + RECORD.box] as number, words[start + RECORD.box + 1] as number)
      return endShape(POINT, first)
    }
    drawPolygons(start)
    return endShape(POLYGON, first)
  }

  const drawPolygons = (start: number): void => {
    cursorX = cursorY = 0
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

  /** Writes the head of the shape whose geometry begins at `first`. Returns false, without a shape, if the geometry is empty. */
  const endShape = (type: number, first: number): boolean => {
    const length = geometryBytes - first
    if (length === 0) {
      geometryBytes = first - HEAD_ROOM
      return false
    }
    const start = first - 3 - sizeOfInt(length)
    geometry[start] = TYPE
    geometry[start + 1] = type
    geometry[start + 2] = GEOMETRY
    writeInt(geometry, start + 3, length)
    last.bytes = geometry
    last.start = start
    last.end = geometryBytes
    return true
  }

  const writePoint = (x: number, y: number): void => {
    geometry = withRoom(geometry, geometryBytes, 3 * MAX_INT)
    geometry[geometryBytes++] = MOVE_TO_ONE
    geometryBytes = writeInt(geometry, geometryBytes, zigzag(Math.round(x * scale - originX)))
    geometryBytes = writeInt(geometry, geometryBytes, zigzag(Math.round(y * scale - originY)))
  }

  const drawRing = (at: number, count: number, isOuter: boolean, isWhole: boolean): boolean => {
    if (ring.length < clipRoom(count)) {
      ring = new Float64Array(2 * clipRoom(count))
      spare = new Float64Array(2 * clipRoom(count))
      drawn = new Int32Array(2 * clipRoom(count))
    }
    for (let point = 0; point < count; point++) {
      const x = (words[at + 2 * point] as number) * scale
      const y = (words[at + 2 * point + 1] as number) * scale
      ring[2 * point] = (all ? x : snapToGrid(x, grid)) - originX
      ring[2 * point + 1] = (all ? y : snapToGrid(y, grid)) - originY
    }
    const left = isWhole ? count : clipRing(ring, spare, count, -BUFFER, EXTENT + BUFFER)
    let corners = roundRing(ring, left, drawn, all)
    let area = areaOf(drawn, corners)
    if (area === 0) {
      // Thinner than a unit. When all parcels must be kept, draw it one unit wide, unless it is only in the tile's buffer.
      if (!(all && isOuter && touchesTile(drawn, corners))) return false
      corners = thicken(drawn, corners, ring, left)
      area = areaOf(drawn, corners)
    }
    writeRing(corners, area > 0 === isOuter)
    return true
  }

  const writeRing = (corners: number, forward: boolean): void => {
    geometry = withRoom(geometry, geometryBytes, 2 * MAX_INT * corners + 3 * MAX_INT)
    for (let step = 0; step < corners; step++) {
      if (step === 0) geometry[geometryBytes++] = MOVE_TO_ONE
      if (step === 1) geometryBytes = writeInt(geometry, geometryBytes, ((corners - 1) << 3) | LINE_TO)
      const corner = forward ? step : corners - 1 - step
      const x = drawn[2 * corner] as number
      const y = drawn[2 * corner + 1] as number
      geometryBytes = writeInt(geometry, geometryBytes, zigzag(x - cursorX))
      geometryBytes = writeInt(geometry, geometryBytes, zigzag(y - cursorY))
      cursorX = x
      cursorY = y
    }
    geometry[geometryBytes++] = CLOSE_PATH
  }

  return { begin, draw, last }
}
