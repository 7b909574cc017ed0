import { Compression, type Header, TileType } from 'pmtiles'
import type { Bbox } from '../../core/geometry/bbox'

export const HEADER_BYTES = 127

/** The header fields that differ between archives. Offsets follow from the order of the sections. */
export type HeaderFields = Pick<
  Header,
  | 'rootDirectoryLength'
  | 'jsonMetadataLength'
  | 'leafDirectoryLength'
  | 'numAddressedTiles'
  | 'numTileEntries'
  | 'numTileContents'
  | 'minZoom'
  | 'maxZoom'
> & { tileDataLength: number; bounds: Bbox }

/** The header of an archive whose sections are root directory, metadata, leaf directories, tile data (PMTiles v3, section 3). */
export const encodeHeader = (fields: HeaderFields): Uint8Array => {
  const bytes = new Uint8Array(HEADER_BYTES)
  const view = new DataView(bytes.buffer)
  const writeLong = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true)
  bytes.set(new TextEncoder().encode('PMTiles'))
  bytes[7] = 3

  const lengths = [
    fields.rootDirectoryLength,
    fields.jsonMetadataLength,
    fields.leafDirectoryLength ?? 0,
    fields.tileDataLength,
  ]
  let offset = HEADER_BYTES
  for (const [section, length] of lengths.entries()) {
    writeLong(8 + 16 * section, offset)
    writeLong(16 + 16 * section, length)
    offset += length
  }
  writeLong(72, fields.numAddressedTiles)
  writeLong(80, fields.numTileEntries)
  writeLong(88, fields.numTileContents)
  bytes[96] = 1 // clustered: tile data is in id order
  bytes[97] = Compression.Gzip // of directories and metadata
  bytes[98] = Compression.Gzip // of tiles
  bytes[99] = TileType.Mvt
  bytes[100] = fields.minZoom
  bytes[101] = fields.maxZoom

  const [west, south, east, north] = fields.bounds
  const writeDegrees = (at: number, degrees: number) => view.setInt32(at, Math.round(degrees * 1e7), true)
  for (const [corner, degrees] of [west, south, east, north].entries()) writeDegrees(102 + 4 * corner, degrees)
  bytes[118] = fields.minZoom
  writeDegrees(119, (west + east) / 2)
  writeDegrees(123, (south + north) / 2)
  return bytes
}

/** The size of the archive that begins with this header: the tile data is its last section. */
export const sizeByHeader = (header: Uint8Array): number => {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  return Number(view.getBigUint64(56, true) + view.getBigUint64(64, true))
}
