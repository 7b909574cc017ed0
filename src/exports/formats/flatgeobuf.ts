import { Builder } from 'flatbuffers'
import { Column } from 'flatgeobuf/lib/mjs/flat-geobuf/column.js'
import { ColumnType as FieldType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js'
import { Crs } from 'flatgeobuf/lib/mjs/flat-geobuf/crs.js'
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js'
import { Geometry } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry.js'
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js'
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js'
import type { ListedParcel } from '../../parcels/list-parcels'
import type { ColumnType, ExportColumn } from '../export-columns'
import { type ExportFormat, type ExportShape, type Place, parsePlace, parseValues } from '../export-format'

/** `fgb`, major version 3, `fgb`, patch version 0. */
const MAGIC = new Uint8Array([0x66, 0x67, 0x62, 0x03, 0x66, 0x67, 0x62, 0x00])
const WGS_84 = 4326

/**
 * FlatGeobuf 3 without the spatial index, which is optional. The index precedes the first feature and needs the box and the size of
 * every feature, so a file with one cannot be sent while parcels are still being read. For the same reason, the header has no number of
 * features. The library's own `serialize` keeps all features in memory and refuses features without a geometry, so this code builds
 * features one by one with the library's classes.
 */
export const flatgeobuf: ExportFormat = {
  mediaType: 'application/vnd.flatgeobuf',
  extension: '.fgb',
  isStreamable: true,
  isText: false,
  needsGeometry: true,
  async *encode(pages, shape) {
    yield concat([MAGIC, buildHeader(shape)])
    const build = createFeatureBuilder(shape.columns)
    for await (const rows of pages) {
      yield concat(parseValues(rows).map((values, index) => build(values, parsePlace(rows[index] as ListedParcel))))
    }
  },
}

const concat = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const FIELD_TYPES: Record<ColumnType, FieldType> = {
  id: FieldType.String,
  text: FieldType.String,
  list: FieldType.Json,
  json: FieldType.Json,
  area: FieldType.Double,
  degrees: FieldType.Double,
  money: FieldType.Long,
  boolean: FieldType.Bool,
  time: FieldType.DateTime,
}

const buildHeader = ({ columns, withPoints, origin }: ExportShape): Uint8Array => {
  const builder = new Builder()
  const columnOffsets = columns.map(({ name, type, description }) => {
    const [nameOffset, descriptionOffset] = [builder.createString(name), builder.createString(description)]
    Column.startColumn(builder)
    Column.addName(builder, nameOffset)
    Column.addDescription(builder, descriptionOffset)
    Column.addType(builder, FIELD_TYPES[type])
    return Column.endColumn(builder)
  })
  const columnsOffset = Header.createColumnsVector(builder, columnOffsets)
  const nameOffset = builder.createString('parcels')
  const metadataOffset = builder.createString(JSON.stringify(origin))
  Crs.startCrs(builder)
  Crs.addCode(builder, WGS_84)
  const crsOffset = Crs.endCrs(builder)
  Header.startHeader(builder)
  Header.addName(builder, nameOffset)
  Header.addGeometryType(builder, withPoints ? GeometryType.Unknown : GeometryType.MultiPolygon)
  Header.addColumns(builder, columnsOffset)
  Header.addFeaturesCount(builder, 0n)
  Header.addIndexNodeSize(builder, 0)
  Header.addCrs(builder, crsOffset)
  Header.addMetadata(builder, metadataOffset)
  builder.finishSizePrefixed(Header.endHeader(builder))
  return builder.asUint8Array()
}

const createFeatureBuilder = (columns: readonly ExportColumn[]) => {
  const builder = new Builder(16 * 1024)
  const writeProperties = createPropertyWriter(columns)
  return (values: Record<string, unknown>, place: Place | null): Uint8Array => {
    builder.clear()
    const propertiesOffset = builder.createByteVector(writeProperties(values))
    const geometryOffset = place === null ? null : addGeometry(builder, place)
    Feature.startFeature(builder)
    if (geometryOffset !== null) Feature.addGeometry(builder, geometryOffset)
    Feature.addProperties(builder, propertiesOffset)
    builder.finishSizePrefixed(Feature.endFeature(builder))
    return builder.asUint8Array().slice()
  }
}

const addGeometry = (builder: Builder, place: Place): number =>
  place.type === 'Point' ? addPoint(builder, place.coordinates) : addPolygons(builder, place.coordinates)

const addPoint = (builder: Builder, position: number[]): number => {
  const xyOffset = Geometry.createXyVector(builder, Float64Array.from(position))
  Geometry.startGeometry(builder)
  Geometry.addXy(builder, xyOffset)
  Geometry.addType(builder, GeometryType.Point)
  return Geometry.endGeometry(builder)
}

const addPolygons = (builder: Builder, polygons: number[][][][]): number => {
  const parts = polygons.map((rings) => {
    let positions = 0
    const ends = rings.map((ring) => {
      positions += ring.length
      return positions
    })
    const endsOffset = rings.length > 1 ? Geometry.createEndsVector(builder, ends) : null
    const xyOffset = Geometry.createXyVector(builder, toFlat(rings, positions))
    Geometry.startGeometry(builder)
    if (endsOffset !== null) Geometry.addEnds(builder, endsOffset)
    Geometry.addXy(builder, xyOffset)
    Geometry.addType(builder, GeometryType.Polygon)
    return Geometry.endGeometry(builder)
  })
  const partsOffset = Geometry.createPartsVector(builder, parts)
  Geometry.startGeometry(builder)
  Geometry.addParts(builder, partsOffset)
  Geometry.addType(builder, GeometryType.MultiPolygon)
  return Geometry.endGeometry(builder)
}

const toFlat = (rings: number[][][], positions: number): Float64Array => {
  const flat = new Float64Array(2 * positions)
  let at = 0
  for (const ring of rings) {
    for (const position of ring) {
      flat[at++] = position[0] as number
      flat[at++] = position[1] as number
    }
  }
  return flat
}

/** A property consists of the number of its column and its value. Unknown values are left out. */
const createPropertyWriter = (columns: readonly ExportColumn[]) => {
  let bytes = Buffer.alloc(4 * 1024)
  let at = 0
  const reserve = (size: number) => {
    if (at + size <= bytes.length) return
    const larger = Buffer.alloc(Math.max(2 * bytes.length, at + size))
    bytes.copy(larger)
    bytes = larger
  }
  const writeText = (text: string) => {
    const size = Buffer.byteLength(text)
    reserve(size + 4)
    at = bytes.writeUInt32LE(size, at)
    at += bytes.write(text, at)
  }
  const writeNumber = (value: unknown) => {
    at = bytes.writeDoubleLE(value as number, at)
  }
  const writeTextOf = (value: unknown) => writeText(String(value))
  const write: Record<ColumnType, (value: unknown) => void> = {
    id: writeTextOf,
    text: writeTextOf,
    time: writeTextOf,
    list: (value) => writeText(JSON.stringify(value)),
    json: (value) => writeText(JSON.stringify(value)),
    area: writeNumber,
    degrees: writeNumber,
    money: (value) => {
      at = bytes.writeBigInt64LE(BigInt(value as number), at)
    },
    boolean: (value) => {
      at = bytes.writeUInt8(value === true ? 1 : 0, at)
    },
  }
  return (values: Record<string, unknown>): Uint8Array => {
    at = 0
    for (const [index, { name, type }] of columns.entries()) {
      const value = values[name] ?? null
      if (value === null) continue
      reserve(10)
      at = bytes.writeUInt16LE(index, at)
      write[type](value)
    }
    return bytes.subarray(0, at)
  }
}
