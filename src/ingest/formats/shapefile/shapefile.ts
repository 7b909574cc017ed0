import type { Position } from 'geojson'
import { BOUNDARY_BOUNDS, ROW_GROUP } from '../../../../core/bounds'
import type { Bbox } from '../../../../core/geometry/bbox'
import { signedArea } from '../../boundaries/geometry'
import { isInside } from '../../boundaries/simple-rings'
import type { ReadRow } from '../../rows/source-row'
import { UnknownEncoding, UnreadableFile } from '../../rows/unreadable-file'
import { ByteReader } from '../byte-reader'
import type { Format, Input } from '../format'
import { findEncoding } from '../text-decoder'
import { type Dbf, openDbf } from './dbf'

/*
 * ESRI Shapefile Technical Description, July 1998. We compared packages for it: shapefile 0.6.6 accepts truncated files and returns
 * deleted rows; shpjs 6.2.0 reads whole files into memory; @loaders.gl/shapefile 4.5.2 returns deleted rows and adds 18 MB.
 */
const FILE_CODE = 9994
const VERSION = 1000
const FILE_HEADER_BYTES = 100
const RECORD_HEADER_BYTES = 8
const MAX_RECORD_BYTES = 64 * 1024 * 1024

const NULL_SHAPE = 0
const POLYGONS = new Set([5, 15, 25])
const POINTS = new Set([1, 11, 21])
const SHAPES: Readonly<Record<number, string>> = {
  1: 'Point',
  3: 'LineString',
  8: 'MultiPoint',
  11: 'Point',
  13: 'LineString',
  18: 'MultiPoint',
  21: 'Point',
  23: 'LineString',
  28: 'MultiPoint',
  31: 'MultiPatch',
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const shapefile: Format = {
  unit: 'feature',
  isFormat: (head) =>
    head.length >= FILE_HEADER_BYTES &&
    viewOf(head).getInt32(0) === FILE_CODE &&
    viewOf(head).getInt32(28, true) === VERSION,
  async *read(input, { encoding, onHeader, onCrs }) {
    const table = await input.beside('dbf')
    if (table === null) {
      throw new UnreadableFile(
        `${input.name}: its .dbf is missing. A shapefile is several files (.shp, .dbf, .prj and others): keep them together, or pass the zip`,
      )
    }
    const shapes = new ByteReader(input.read())
    let dbf: Dbf | null = null
    try {
      const extent = await readExtent(shapes, input)
      const prj = await input.beside('prj')
      onCrs({ crs: prj === null ? null : await readText(prj), from: prj?.name ?? `${input.name} has no .prj`, extent })
      dbf = await openDbf(table, { encoding, declared: encoding === null ? await readCodePage(input) : null })
      onHeader(dbf.columns)
      let number = 0
      let isEnd = false
      while (!isEnd) {
        let rows: ReadRow[] = []
        let groupBytes = 0
        const attributes = await dbf.next(ROW_GROUP.rows)
        for (const properties of attributes) {
          number++
          const { geometry, bytes } = await readShape(shapes, input, number)
          // A deleted row keeps its shape.
          if (properties !== null) rows.push({ line: number, properties, geometry })
          groupBytes += bytes
          if (groupBytes < ROW_GROUP.bytes) continue
          yield rows
          rows = []
          groupBytes = 0
        }
        isEnd = attributes.length < ROW_GROUP.rows
        yield rows
      }
      if (await shapes.fill(RECORD_HEADER_BYTES + 4)) {
        throw new UnreadableFile(
          `${input.name} has more shapes than its .dbf has rows (${number}): they do not belong together`,
        )
      }
    } finally {
      await Promise.all([shapes.close(), dbf?.close()])
    }
  },
}

/** The box of all shapes. Null: the header has none. */
const readExtent = async (shapes: ByteReader, input: Input): Promise<Bbox | null> => {
  if (!(await shapes.fill(FILE_HEADER_BYTES))) throw new UnreadableFile(`${input.name} ends within its header`)
  const view = viewOf(shapes.take(FILE_HEADER_BYTES) as Uint8Array)
  const bytes = view.getUint32(24) * 2
  if (input.sizeBytes !== null && input.sizeBytes < bytes) {
    throw new UnreadableFile(
      `${input.name} has ${input.sizeBytes} of ${bytes} bytes: the file is damaged or not complete`,
    )
  }
  const extent = [36, 44, 52, 60].map((at) => view.getFloat64(at, true)) as Bbox
  const isKnown = extent.every(Number.isFinite) && extent[0] <= extent[2] && extent[1] <= extent[3]
  return isKnown && bytes > FILE_HEADER_BYTES ? extent : null
}

const readText = async (input: Input): Promise<string> => {
  const parts: Uint8Array[] = []
  for await (const chunk of input.read()) parts.push(chunk)
  return new TextDecoder().decode(Buffer.concat(parts)).replaceAll('\0', '').trim()
}

/**
 * The encoding that the .cpg names. Null: there is none.
 *
 * @throws UnknownEncoding
 */
const readCodePage = async (input: Input): Promise<string | null> => {
  const cpg = await input.beside('cpg')
  if (cpg === null) return null
  const label = await readText(cpg)
  if (label === '') return null
  const name = findEncoding(label)
  if (name === null)
    throw new UnknownEncoding(
      `${cpg.name} names the encoding "${label.slice(0, 40)}", which is not known: name it with --encoding`,
    )
  return name
}

/** The next record, and its size. */
const readShape = async (
  shapes: ByteReader,
  input: Input,
  number: number,
): Promise<{ geometry: unknown; bytes: number }> => {
  const damaged = (what: string) => new UnreadableFile(`${input.name} ${what}: the file is damaged or not complete`)
  const header = await shapes.read(RECORD_HEADER_BYTES)
  if (header === null) throw damaged(`ends before shape ${number}, although its .dbf has a row for it`)
  const view = viewOf(header)
  const [found, bytes] = [view.getInt32(0), view.getInt32(4) * 2]
  if (found !== number) throw damaged(`has the shape ${found} where ${number} is expected`)
  if (bytes < 4 || bytes > MAX_RECORD_BYTES) throw damaged(`gives shape ${number} a length of ${bytes} bytes`)
  const content = await shapes.read(bytes)
  if (content === null) throw damaged(`ends within shape ${number}`)
  return { geometry: toGeometry(viewOf(content)), bytes }
}

/** Only its row is refused, because the next shape begins after its length. */
const INVALID = { type: 'shape that is not valid', coordinates: [] }

const toGeometry = (view: DataView): unknown => {
  const type = view.getInt32(0, true)
  if (type === NULL_SHAPE) return null
  if (POINTS.has(type)) {
    if (view.byteLength < 20) return INVALID
    return { type: 'Point', coordinates: [view.getFloat64(4, true), view.getFloat64(12, true)] }
  }
  // Other types are refused later, as in all formats.
  if (!POLYGONS.has(type)) return { type: SHAPES[type] ?? `shape of type ${type}`, coordinates: [] }
  if (view.byteLength < 44) return INVALID
  const [parts, points] = [view.getInt32(36, true), view.getInt32(40, true)]
  const start = 44 + parts * 4
  if (parts < 0 || points < 0 || start + points * 16 > view.byteLength) return INVALID
  // It is refused later. To find the outer ring of each hole would take minutes.
  if (parts > BOUNDARY_BOUNDS.rings || points > BOUNDARY_BOUNDS.parcelPositions)
    return { type: `shape of ${parts} rings and ${points} positions`, coordinates: [] }
  const rings: Position[][] = []
  for (let part = 0; part < parts; part++) {
    const first = view.getInt32(44 + part * 4, true)
    const end = part + 1 < parts ? view.getInt32(48 + part * 4, true) : points
    if (first < 0 || end < first || end > points) return INVALID
    const ring: Position[] = []
    for (let at = start + first * 16; at < start + end * 16; at += 16) {
      ring.push([view.getFloat64(at, true), view.getFloat64(at + 8, true)])
    }
    rings.push(ring)
  }
  return toPolygons(rings)
}

/**
 * Outer rings are clockwise, holes counterclockwise. A hole belongs to the smallest outer ring around it. Some programs write the
 * directions of GeoJSON, which are the opposite. The largest ring shows it, because it is not a hole.
 */
const toPolygons = (rings: Position[][]): unknown => {
  // A polygon without rings is rejected later, like one of GeoJSON.
  if (rings.length <= 1) return { type: 'Polygon', coordinates: rings }
  const areas = rings.map(signedArea)
  const largest = areas.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one))
  const isSwapped = largest > 0 && areas.some((area) => area < 0)
  const outers: { rings: Position[][]; area: number }[] = []
  const holes: Position[][] = []
  for (const [index, ring] of rings.entries()) {
    const area = areas[index] as number
    if (isSwapped ? area < 0 : area > 0) holes.push(ring)
    else outers.push({ rings: [ring], area: Math.abs(area) })
  }
  for (const hole of holes) {
    const around = outers.filter((outer) => isInside(hole, outer.rings[0] as Position[]))
    const owner = around.reduce<(typeof outers)[number] | null>(
      (best, outer) => (best === null || outer.area < best.area ? outer : best),
      null,
    )
    // A hole without a ring around it is an outer ring written in the wrong direction.
    if (owner === null) outers.push({ rings: [hole], area: Math.abs(signedArea(hole)) })
    else owner.rings.push(hole)
  }
  return { type: 'MultiPolygon', coordinates: outers.map((outer) => outer.rings) }
}
