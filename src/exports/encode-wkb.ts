import type { MultiPolygon, Point } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'

const LITTLE_ENDIAN = 1
const POINT = 1
const POLYGON = 3
const MULTI_POLYGON = 6
const [HEAD_BYTES, COUNT_BYTES, POSITION_BYTES] = [5, 4, 16]

/**
 * A MultiPolygon or Point as well-known binary (OGC 06-103r4, 8.2), with `headBytes` empty bytes before it, and its bounding box. Heights are left
 * out.
 */
export const encodeWkb = (
  place: MultiPolygon | Point,
  headBytes = 0,
): { bytes: Uint8Array<ArrayBuffer>; bbox: Bbox } =>
  place.type === 'Point' ? encodePoint(place, headBytes) : encodePolygons(place, headBytes)

const encodePoint = ({ coordinates: [lon = 0, lat = 0] }: Point, headBytes: number) => {
  const bytes = new Uint8Array(headBytes + HEAD_BYTES + POSITION_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint8(headBytes, LITTLE_ENDIAN)
  view.setUint32(headBytes + 1, POINT, true)
  view.setFloat64(headBytes + HEAD_BYTES, lon, true)
  view.setFloat64(headBytes + HEAD_BYTES + 8, lat, true)
  const bbox: Bbox = [lon, lat, lon, lat]
  return { bytes, bbox }
}

const encodePolygons = ({ coordinates: polygons }: MultiPolygon, headBytes: number) => {
  const bytes = new Uint8Array(headBytes + countBytes(polygons))
  const view = new DataView(bytes.buffer)
  const bbox: Bbox = [Infinity, Infinity, -Infinity, -Infinity]
  let at = headBytes
  const writeHead = (type: number, count: number) => {
    view.setUint8(at, LITTLE_ENDIAN)
    view.setUint32(at + 1, type, true)
    view.setUint32(at + HEAD_BYTES, count, true)
    at += HEAD_BYTES + COUNT_BYTES
  }
  writeHead(MULTI_POLYGON, polygons.length)
  for (const rings of polygons) {
    writeHead(POLYGON, rings.length)
    for (const ring of rings) {
      view.setUint32(at, ring.length, true)
      at += COUNT_BYTES
      for (const position of ring) {
        const x = position[0] as number
        const y = position[1] as number
        view.setFloat64(at, x, true)
        view.setFloat64(at + 8, y, true)
        at += POSITION_BYTES
        if (x < bbox[0]) bbox[0] = x
        if (y < bbox[1]) bbox[1] = y
        if (x > bbox[2]) bbox[2] = x
        if (y > bbox[3]) bbox[3] = y
      }
    }
  }
  return { bytes, bbox }
}

const countBytes = (polygons: MultiPolygon['coordinates']): number => {
  let bytes = HEAD_BYTES + COUNT_BYTES
  for (const rings of polygons) {
    bytes += HEAD_BYTES + COUNT_BYTES
    for (const ring of rings) bytes += COUNT_BYTES + POSITION_BYTES * ring.length
  }
  return bytes
}
