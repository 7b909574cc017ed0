import { ByteBuffer } from 'flatbuffers'
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js'
import type { Geometry } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry.js'
import { parseProperties } from 'flatgeobuf/lib/mjs/generic/feature.js'
import { fromGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js'
import { fromByteBuffer, type HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js'
import { calcTreeSize } from 'flatgeobuf/lib/mjs/packedrtree.js'
import { BOUNDARY_BOUNDS, ROW_GROUP } from '../../../core/bounds'
import type { Bbox } from '../../../core/geometry/bbox'
import type { ReadRow } from '../rows/source-row'
import { UnreadableFile } from '../rows/unreadable-file'
import { ByteReader } from './byte-reader'
import type { Format, Input } from './format'
import { reasonOf } from './reason-of'

const MAGIC_BYTES = 8
const LENGTH_BYTES = 4
const MAX_HEADER_BYTES = 10 * 1024 ** 2
const MAX_FEATURE_BYTES = 64 * 1024 ** 2
const SKIP_BYTES = 1024 ** 2

/** FlatGeobuf 3. The package's own stream reads the whole index into memory and takes a truncated file for a complete one. */
export const flatgeobuf: Format = {
  unit: 'feature',
  isFormat: (head) => Buffer.from(head.subarray(0, 7)).equals(Buffer.from([0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62])),
  async *read(input, { onHeader, onCrs }) {
    const reader = new ByteReader(input.read())
    try {
      const header = await readHeader(reader, input)
      const names = header.columns?.map(({ name }) => name) ?? []
      onCrs({ crs: crsOf(header), from: input.name, extent: extentOf(header) })
      onHeader(names)
      await skipIndex(reader, header, input)
      const empty = Object.fromEntries(names.map((name) => [name, null]))
      let number = 0
      let group: ReadRow[] = []
      let groupBytes = 0
      for (;;) {
        const bytes = await readSized(reader, MAX_FEATURE_BYTES, input)
        if (bytes === null) break
        group.push(readFeature(bytes, header, empty, ++number))
        groupBytes += bytes.length
        if (group.length < ROW_GROUP.rows && groupBytes < ROW_GROUP.bytes) continue
        yield group
        group = []
        groupBytes = 0
      }
      if (header.featuresCount > 0 && number !== header.featuresCount) {
        throw new UnreadableFile(`${input.name} ends after ${number} of ${header.featuresCount} features`)
      }
      yield group
    } finally {
      await reader.close()
    }
  },
}

/** Bytes including the length that precedes them. Null: the file has ended. */
const readSized = async (reader: ByteReader, most: number, input: Input): Promise<Uint8Array | null> => {
  if (!(await reader.fill(LENGTH_BYTES))) return null
  const [a = 0, b = 0, c = 0, d = 0] = reader.peek(LENGTH_BYTES)
  const bytes = a + b * 2 ** 8 + c * 2 ** 16 + d * 2 ** 24
  const content = bytes > most ? null : await reader.read(LENGTH_BYTES + bytes)
  if (content === null) throw new UnreadableFile(`${input.name} is a damaged or incomplete FlatGeobuf`)
  // Flatbuffers read at aligned offsets, so this is a copy. `slice` of a Buffer would be none.
  return new Uint8Array(content)
}

const readHeader = async (reader: ByteReader, input: Input): Promise<HeaderMeta> => {
  await reader.read(MAGIC_BYTES)
  const bytes = await readSized(reader, MAX_HEADER_BYTES, input)
  try {
    if (bytes !== null) return fromByteBuffer(new ByteBuffer(bytes))
  } catch (error) {
    throw new UnreadableFile(`${input.name} has a FlatGeobuf header that cannot be read: ${reasonOf(error)}`, {
      cause: error,
    })
  }
  throw new UnreadableFile(`${input.name} ends within its header`)
}

const skipIndex = async (
  reader: ByteReader,
  { indexNodeSize, featuresCount }: HeaderMeta,
  input: Input,
): Promise<void> => {
  let rest = indexNodeSize > 0 && featuresCount > 0 ? calcTreeSize(featuresCount, indexNodeSize) : 0
  while (rest > 0) {
    const skipped = Math.min(rest, SKIP_BYTES)
    if ((await reader.read(skipped)) === null) throw new UnreadableFile(`${input.name} ends within its index`)
    rest -= skipped
  }
}

const readFeature = (bytes: Uint8Array, header: HeaderMeta, empty: object, line: number): ReadRow => {
  try {
    const feature = Feature.getSizePrefixedRootAsFeature(new ByteBuffer(bytes))
    const properties = parseProperties(feature, header.columns)
    const shape = feature.geometry()
    return {
      line,
      properties: { ...empty, ...properties },
      geometry: shape === null ? null : isBound(shape) ? fromGeometry(shape, header.geometryType) : TOO_LARGE,
    }
  } catch (error) {
    return { line, reason: `not a FlatGeobuf feature: ${reasonOf(error)}` }
  }
}

const TOO_LARGE = { type: 'value that is too large' }

/** Parts and rings may overlap in the file, so a small feature could become a geometry of any size. The exact limits are checked later. */
const isBound = (
  geometry: Geometry,
  left = { rings: 2 * BOUNDARY_BOUNDS.rings, positions: 2 * BOUNDARY_BOUNDS.parcelPositions },
): boolean => {
  const ends = geometry.endsArray() ?? [geometry.xyLength() / 2]
  left.rings -= Math.max(1, ends.length)
  let from = 0
  for (const end of ends) {
    left.positions -= Math.max(0, end - from)
    from = end
  }
  for (let part = 0; part < geometry.partsLength() && left.rings >= 0 && left.positions >= 0; part++) {
    const inner = geometry.parts(part)
    if (inner !== null) isBound(inner, left)
  }
  return left.rings >= 0 && left.positions >= 0
}

const crsOf = ({ crs }: HeaderMeta): string | null => {
  if (crs === null) return null
  if (crs.code > 0 && (crs.org === null || crs.org.toUpperCase() === 'EPSG')) return `EPSG:${crs.code}`
  return crs.wkt ?? crs.code_string
}

const extentOf = ({ envelope }: HeaderMeta): Bbox | null => {
  if (envelope === null || envelope.length < 4 || !envelope.every(Number.isFinite)) return null
  return [...envelope.subarray(0, 4)] as Bbox
}
