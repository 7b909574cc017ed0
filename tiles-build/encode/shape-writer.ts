import { MAX_INT, sizeOfInt, withRoom, writeInt, zigzag } from './varint'

/** Writes shapes one after another. A shape is the fields of a Feature that have its type and geometry. */
export interface ShapeWriter {
  /** Begins a tile. The shapes of the one before are no longer valid. */
  beginTile: () => void
  begin: () => void
  addPoint: (x: number, y: number) => void
  /** Adds the first `count` points of `corners`, a ring; unless `forward`, in reverse order. */
  addRing: (corners: Int32Array, count: number, forward: boolean) => void
  /** Ends the shape. False: nothing was added, so there is no shape. */
  end: (type: ShapeType) => boolean
  /** Where the last shape is. */
  last: { bytes: Uint8Array<ArrayBuffer>; start: number; end: number }
}

/** The types of geometries (Mapbox Vector Tile 2.1, 4.3.4). */
export const POINT = 1
export const POLYGON = 3
type ShapeType = typeof POINT | typeof POLYGON

/** Commands of a geometry, each with its count (4.3.1). */
const MOVE_TO_ONE = 9
const LINE_TO = 2
const CLOSE_PATH = 15
/** Fields of a Feature, with their wire types. */
const TYPE = 0x18
const GEOMETRY = 0x22
/** Left before a geometry, because its length comes first but is known last. */
const HEAD_ROOM = 3 + MAX_INT

/** Reuses its buffer between tiles. */
export const createShapeWriter = (): ShapeWriter => {
  let bytes = new Uint8Array(1 << 16)
  const last = { bytes, start: 0, end: 0 }
  let used = 0
  /** Where the geometry of the current shape begins. */
  let first = 0
  let cursorX = 0
  let cursorY = 0

  const beginTile = (): void => {
    used = 0
  }

  const begin = (): void => {
    bytes = withRoom(bytes, used, HEAD_ROOM)
    used += HEAD_ROOM
    first = used
    cursorX = cursorY = 0
  }

  const addPoint = (x: number, y: number): void => {
    bytes = withRoom(bytes, used, 3 * MAX_INT)
    bytes[used++] = MOVE_TO_ONE
    used = writeInt(bytes, used, zigzag(x))
    used = writeInt(bytes, used, zigzag(y))
  }

  const addRing = (corners: Int32Array, count: number, forward: boolean): void => {
    bytes = withRoom(bytes, used, 2 * MAX_INT * count + 3 * MAX_INT)
    for (let step = 0; step < count; step++) {
      if (step === 0) bytes[used++] = MOVE_TO_ONE
      if (step === 1) used = writeInt(bytes, used, ((count - 1) << 3) | LINE_TO)
      const corner = forward ? step : count - 1 - step
      const x = corners[2 * corner] as number
      const y = corners[2 * corner + 1] as number
      used = writeInt(bytes, used, zigzag(x - cursorX))
      used = writeInt(bytes, used, zigzag(y - cursorY))
      cursorX = x
      cursorY = y
    }
    bytes[used++] = CLOSE_PATH
  }

  const end = (type: ShapeType): boolean => {
    const length = used - first
    if (length === 0) {
      used = first - HEAD_ROOM
      return false
    }
    const start = first - 3 - sizeOfInt(length)
    bytes[start] = TYPE
    bytes[start + 1] = type
    bytes[start + 2] = GEOMETRY
    writeInt(bytes, start + 3, length)
    last.bytes = bytes
    last.start = start
    last.end = used
    return true
  }

  return { beginTile, begin, addPoint, addRing, end, last }
}
