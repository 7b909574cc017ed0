import type { Bucket } from '../publish/bucket'
import { RECORD, readLong } from '../publish/record'
import { clipRing, clipRoom } from './clip'
import { snapToGrid } from './simplify'
import { BUFFER, EXTENT, tileSteps } from './tile-math'

export interface TileEncoder {
  /** Begins a tile. `keepsAll`: nothing is simplified, and nothing dropped for being small. */
  begin: (z: number, x: number, y: number, keepsAll: boolean) => void
  /** Draws a record of the bucket, if something of it lies in the tile. */
  add: (record: number) => void
  /** The tile as a vector tile, or null if nothing was drawn. It stands until the next `begin`. */
  finish: () => Uint8Array<ArrayBuffer> | null
}

/** Fields of a Tile, a Layer and a Feature, with their wire types. */
const LAYER = 0x1a
const NAME = 0x0a
const FEATURES = 0x12
const KEYS = 0x1a
const VALUES = 0x22
const LAYER_EXTENT = 0x28
const VERSION = 0x78
const FEATURE_ID = 0x08
const TAGS = 0x12
const TYPE = 0x18
const GEOMETRY = 0x22
const POLYGON = 3
const MOVE_TO_ONE = 9
const LINE_TO = 2
const CLOSE_PATH = 15
/** The most bytes of a varint of 32 bits; of 53 bits. */
const MOST_INT = 5
const MOST_LONG = 8

/**
 * Encodes the parcels of one bucket as tiles of one layer (Mapbox Vector Tile 2.1). Buffers are kept from tile to tile, and
 * values are copied as they stand in the bucket: no parcel becomes an object, or its values strings.
 */
export const createTileEncoder = (layer: string, keys: readonly string[], bucket: Bucket): TileEncoder => {
  const { words, bytes, starts, values, valueStart, valueLength } = bucket
  const head = encodeHead(layer)
  const tail = encodeTail(keys)
  let features = new Uint8Array(1 << 16)
  let featureBytes = 0
  let tileValues = new Uint8Array(1 << 16)
  let valueBytes = 0
  /** Of each value of the bucket, its number in the tile whose serial stands beside it. */
  const tileValueOf = new Uint32Array(valueStart.length)
  const lastTileOf = new Uint32Array(valueStart.length)
  let valueCount = 0
  let serial = 0

  let geometry = new Uint8Array(1 << 12)
  let geometryBytes = 0
  let ring = new Float64Array(1 << 10)
  let spare = new Float64Array(1 << 10)
  let drawn = new Int32Array(1 << 10)
  const tags = new Uint8Array(keys.length * (MOST_INT + 1))

  let scale = 1
  let originX = 0
  let originY = 0
  let all = true
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
    featureBytes = head.length
    valueBytes = valueCount = 0
    serial++
    minX = (originX - BUFFER) / scale
    minY = (originY - BUFFER) / scale
    maxX = (originX + EXTENT + BUFFER) / scale
    maxY = (originY + EXTENT + BUFFER) / scale
  }

  const add = (record: number): void => {
    const start = starts[record] as number
    drawGeometry(start)
    if (geometryBytes === 0) return
    const tagBytes = drawTags(record)
    features = withRoom(features, featureBytes, geometryBytes + tagBytes + 5 * MOST_INT + MOST_LONG)

    let size = 1 + 1 + sizeOfInt(tagBytes) + tagBytes + 2 + 1 + sizeOfInt(geometryBytes) + geometryBytes
    const id = readLong(words, start + RECORD.featureId)
    size += sizeOfLong(id)
    let at = featureBytes
    features[at++] = FEATURES
    at = writeInt(features, at, size)
    features[at++] = FEATURE_ID
    at = writeLongInt(features, at, id)
    features[at++] = TAGS
    at = writeInt(features, at, tagBytes)
    for (let byte = 0; byte < tagBytes; byte++) features[at++] = tags[byte] as number
    features[at++] = TYPE
    features[at++] = POLYGON
    features[at++] = GEOMETRY
    at = writeInt(features, at, geometryBytes)
    if (geometryBytes > 64) features.set(geometry.subarray(0, geometryBytes), at)
    else for (let byte = 0; byte < geometryBytes; byte++) features[at + byte] = geometry[byte] as number
    featureBytes = at + geometryBytes
  }

  const drawTags = (record: number): number => {
    let at = 0
    for (let key = 0; key < keys.length; key++) {
      const value = values[record * keys.length + key] as number
      if (value < 0) continue
      if (lastTileOf[value] !== serial) {
        lastTileOf[value] = serial
        tileValueOf[value] = valueCount++
        const length = valueLength[value] as number
        const from = valueStart[value] as number
        tileValues = withRoom(tileValues, valueBytes, length + 1 + MOST_INT)
        tileValues[valueBytes++] = VALUES
        valueBytes = writeInt(tileValues, valueBytes, length)
        for (let byte = 0; byte < length; byte++) tileValues[valueBytes + byte] = bytes[from + byte] as number
        valueBytes += length
      }
      tags[at++] = key
      at = writeInt(tags, at, tileValueOf[value] as number)
    }
    return at
  }

  const drawGeometry = (start: number): void => {
    geometryBytes = cursorX = cursorY = 0
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
        // The holes of what is not drawn are not drawn either.
        if (isDrawn) {
          const ringIsDrawn = drawRing(at, count, isOuter, isWhole)
          if (isOuter) isDrawn = ringIsDrawn
        }
        isOuter = false
        at += 2 * count
      }
    }
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
      ring[2 * point] = (all ? x : snapToGrid(x)) - originX
      ring[2 * point + 1] = (all ? y : snapToGrid(y)) - originY
    }
    const left = isWhole ? count : clipRing(ring, spare, count, -BUFFER, EXTENT + BUFFER)
    let corners = roundRing(left)
    let area = areaOf(corners)
    if (area === 0) {
      // Thinner than a unit. Where all must be kept it is drawn one unit wide; what only a tile's buffer holds is another's.
      if (!(all && isOuter && touchesTile(corners))) return false
      corners = thicken(corners, left)
      area = areaOf(corners)
    }
    writeRing(corners, area > 0 === isOuter)
    return true
  }

  /** Rounds the ring's points to whole units, and leaves out what repeats. Returns the number of corners. */
  const roundRing = (count: number): number => {
    let corners = 0
    for (let point = 0; point < count; point++) {
      const x = Math.round(ring[2 * point] as number)
      const y = Math.round(ring[2 * point + 1] as number)
      if (corners > 0 && drawn[2 * corners - 2] === x && drawn[2 * corners - 1] === y) continue
      // There and back again: on the grid a narrow part becomes a line, which is its neighbours' border now.
      if (!all && corners > 1 && drawn[2 * corners - 4] === x && drawn[2 * corners - 3] === y) {
        corners--
        continue
      }
      drawn[2 * corners] = x
      drawn[2 * corners + 1] = y
      corners++
    }
    while (corners > 1 && drawn[0] === drawn[2 * corners - 2] && drawn[1] === drawn[2 * corners - 1]) corners--
    return corners
  }

  /** Twice the area by the surveyor's formula: positive for an outer ring (y runs down). */
  const areaOf = (corners: number): number => {
    let area = 0
    let lastX = drawn[2 * corners - 2] as number
    let lastY = drawn[2 * corners - 1] as number
    for (let corner = 0; corner < corners; corner++) {
      const x = drawn[2 * corner] as number
      const y = drawn[2 * corner + 1] as number
      area += lastX * y - x * lastY
      lastX = x
      lastY = y
    }
    return area
  }

  const touchesTile = (corners: number): boolean => {
    let [nearX, nearY, farX, farY] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let corner = 0; corner < corners; corner++) {
      const [x, y] = [drawn[2 * corner] as number, drawn[2 * corner + 1] as number]
      nearX = Math.min(nearX, x)
      nearY = Math.min(nearY, y)
      farX = Math.max(farX, x)
      farY = Math.max(farY, y)
    }
    return nearX <= EXTENT && nearY <= EXTENT && farX >= 0 && farY >= 0
  }

  /** Makes what is flat a strip, one unit wide, from its first corner to the one farthest from it, on the side that rounding left. */
  const thicken = (corners: number, count: number): number => {
    let [offX, offY] = [0, 0]
    for (let point = 0; point < count; point++) {
      const [x, y] = [ring[2 * point] as number, ring[2 * point + 1] as number]
      offX += x - Math.round(x)
      offY += y - Math.round(y)
    }
    const sideX = offX < 0 ? -1 : 1
    const sideY = offY < 0 ? -1 : 1
    const [x, y] = [drawn[0] as number, drawn[1] as number]
    let [farX, farY] = [x, y]
    for (let corner = 1; corner < corners; corner++) {
      const [toX, toY] = [drawn[2 * corner] as number, drawn[2 * corner + 1] as number]
      if ((toX - x) ** 2 + (toY - y) ** 2 > (farX - x) ** 2 + (farY - y) ** 2) [farX, farY] = [toX, toY]
    }
    if (farX === x && farY === y) farX += sideX
    const [stepX, stepY] = Math.abs(farX - x) >= Math.abs(farY - y) ? [0, sideY] : [sideX, 0]
    const within = (value: number) => Math.min(EXTENT + BUFFER, Math.max(-BUFFER, value))
    drawn.set([x, y, farX, farY, within(farX + stepX), within(farY + stepY), within(x + stepX), within(y + stepY)])
    return 4
  }

  const writeRing = (corners: number, forward: boolean): void => {
    geometry = withRoom(geometry, geometryBytes, 2 * MOST_INT * corners + 3 * MOST_INT)
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

  const finish = (): Uint8Array<ArrayBuffer> | null => {
    if (featureBytes === head.length) return null
    features = withRoom(features, featureBytes, valueBytes + tail.length)
    features.set(tileValues.subarray(0, valueBytes), featureBytes)
    features.set(tail, featureBytes + valueBytes)
    const end = featureBytes + valueBytes + tail.length
    // The layer's length is known last and stands first: it is written just before the rest, in the room left for it.
    const length = end - LAYER_ROOM
    const start = LAYER_ROOM - 1 - sizeOfInt(length)
    features[start] = LAYER
    writeInt(features, start + 1, length)
    features.set(head.subarray(LAYER_ROOM), LAYER_ROOM)
    return features.subarray(start, end)
  }

  return { begin, add, finish }
}

const LAYER_ROOM = 1 + MOST_INT

const encodeHead = (layer: string): Uint8Array => {
  const name = new TextEncoder().encode(layer)
  return new Uint8Array([...new Uint8Array(LAYER_ROOM), VERSION, 2, NAME, ...varint(name.length), ...name])
}

const encodeTail = (keys: readonly string[]): Uint8Array => {
  const parts: number[] = []
  for (const key of keys) {
    const name = new TextEncoder().encode(key)
    parts.push(KEYS, ...varint(name.length), ...name)
  }
  return new Uint8Array([...parts, LAYER_EXTENT, ...varint(EXTENT)])
}

const varint = (value: number): Uint8Array => {
  const bytes = new Uint8Array(MOST_INT)
  return bytes.subarray(0, writeInt(bytes, 0, value))
}

const withRoom = (buffer: Uint8Array<ArrayBuffer>, used: number, more: number): Uint8Array<ArrayBuffer> => {
  if (used + more <= buffer.length) return buffer
  const larger = new Uint8Array(Math.max(2 * buffer.length, used + more))
  larger.set(buffer.subarray(0, used))
  return larger
}

const zigzag = (value: number): number => (value << 1) ^ (value >> 31)

const writeInt = (out: Uint8Array, at: number, value: number): number => {
  while (value > 0x7f) {
    out[at++] = (value & 0x7f) | 0x80
    value >>>= 7
  }
  out[at++] = value
  return at
}

/** As `writeInt`, for whole numbers up to 2^53. */
const writeLongInt = (out: Uint8Array, at: number, value: number): number => {
  while (value > 0x7fffffff) {
    out[at++] = (value % 128) | 0x80
    value = Math.floor(value / 128)
  }
  return writeInt(out, at, value)
}

const sizeOfInt = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5

const sizeOfLong = (value: number): number => {
  let size = 1
  for (; value > 0x7f; value = Math.floor(value / 128)) size++
  return size
}
