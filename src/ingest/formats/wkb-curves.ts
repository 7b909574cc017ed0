import type { Position } from 'geojson'
import { BOUNDARY_BOUNDS } from '../../../core/bounds'

/** Types of ISO WKB (OGC 06-103r4), which add 1,000 for each of Z, M and both. */
const LINE_STRING = 2
const POLYGON = 3
const MULTI_POLYGON = 6
const CIRCULAR_STRING = 8
const COMPOUND_CURVE = 9
const CURVE_POLYGON = 10
const MULTI_SURFACE = 12

/** An arc becomes lines that turn by at most this angle, as in GDAL. */
const STEP = (4 * Math.PI) / 180

/** Whether WKB is a surface that may have arcs. */
export const isCurved = (bytes: Uint8Array): boolean => {
  if (bytes.length < 5) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return [CURVE_POLYGON, MULTI_SURFACE].includes(view.getUint32(1, view.getUint8(0) === 1) % 1000)
}

/**
 * Converts a CurvePolygon or MultiSurface to a GeoJSON MultiPolygon, in which lines replace the arcs.
 *
 * @throws RangeError if the bytes end early, Error for another type
 */
export const readCurvedSurface = (bytes: Uint8Array): { type: 'MultiPolygon'; coordinates: Position[][][] } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  let isLittle = true
  /** Positions of all arcs: a few bytes of arcs become many lines. */
  let positions = 0
  const readCount = (): number => {
    at += 4
    return view.getUint32(at - 4, isLittle)
  }
  /** Each item takes at least a byte, so a count that is wrong ends at the end of the bytes. */
  const readList = <Item>(read: () => Item): Item[] => {
    const items: Item[] = []
    for (let left = readCount(); left > 0; left--) items.push(read())
    return items
  }
  const readHeader = (): { type: number; readPosition: () => Position } => {
    isLittle = view.getUint8(at++) === 1
    const code = readCount()
    const dimensions = [2, 3, 3, 4][Math.floor(code / 1000)]
    if (dimensions === undefined) throw new Error(`type ${code}`)
    return {
      type: code % 1000,
      readPosition: () => {
        const position = [view.getFloat64(at, isLittle), view.getFloat64(at + 8, isLittle)]
        at += 8 * dimensions
        return position
      },
    }
  }
  const readCurve = (): Position[] => {
    const { type, readPosition } = readHeader()
    if (type === LINE_STRING) return readList(readPosition)
    if (type === CIRCULAR_STRING) {
      const lines = toLines(readList(readPosition))
      positions += lines.length
      if (positions > BOUNDARY_BOUNDS.parcelPositions) throw tooMany()
      return lines
    }
    // A part begins where the last one ends. Repeated positions are left out later.
    if (type === COMPOUND_CURVE) return readList(readCurve).flat()
    throw new Error(`type ${type} as a ring`)
  }
  const readSurface = (): Position[][][] => {
    const { type, readPosition } = readHeader()
    if (type === POLYGON) return [readList(() => readList(readPosition))]
    if (type === CURVE_POLYGON) return [readList(readCurve)].filter((rings) => rings.length > 0)
    if (type === MULTI_POLYGON || type === MULTI_SURFACE) return readList(readSurface).flat()
    throw new Error(`type ${type} as a surface`)
  }
  return { type: 'MultiPolygon', coordinates: readSurface() }
}

const tooMany = () => new Error(`its arcs become more than ${BOUNDARY_BOUNDS.parcelPositions} positions`)

/** The lines for arcs of three positions each, which share their ends. */
const toLines = (positions: readonly Position[]): Position[] => {
  const lines = positions.slice(0, 1)
  for (let index = 2; index < positions.length; index += 2) {
    const [start, middle, end] = positions.slice(index - 2, index + 1) as [Position, Position, Position]
    lines.push(...listCorners(start, middle, end), end)
    if (lines.length > BOUNDARY_BOUNDS.parcelPositions) throw tooMany()
  }
  return lines
}

/** Corners on the arc from `start` through `middle` to `end`, without `start` and `end`. If both are the same, it is a whole circle. */
const listCorners = (start: Position, middle: Position, end: Position): Position[] => {
  const [x0 = 0, y0 = 0] = start
  const [mx, my] = [(middle[0] ?? 0) - x0, (middle[1] ?? 0) - y0]
  const [ex, ey] = [(end[0] ?? 0) - x0, (end[1] ?? 0) - y0]
  const isCircle = ex === 0 && ey === 0
  const cross = 2 * (mx * ey - my * ex)
  if (cross === 0 && !isCircle) return [middle]
  const [m, e] = [mx * mx + my * my, ex * ex + ey * ey]
  const [cx, cy] = isCircle ? [mx / 2, my / 2] : [(ey * m - my * e) / cross, (mx * e - ex * m) / cross]
  const radius = Math.hypot(cx, cy)
  const from = Math.atan2(-cy, -cx)
  // A middle to the right of the line to the end is on a counterclockwise arc.
  const turn = isCircle || cross > 0 ? 1 : -1
  const full = 2 * Math.PI
  const swept = isCircle ? full : ((((Math.atan2(ey - cy, ex - cx) - from) * turn) % full) + full) % full
  const steps = Math.max(2, Math.ceil(swept / STEP))
  return Array.from({ length: steps - 1 }, (_, index) => {
    const angle = from + (turn * swept * (index + 1)) / steps
    return [x0 + cx + radius * Math.cos(angle), y0 + cy + radius * Math.sin(angle)]
  })
}
