/*
 * A parcel between reading and drawing, as a run of 32-bit words. It can be written to a file, read back, and drawn in place:
 *
 *   0      length in words
 *   1      feature id
 *   2..5   its box in world steps: minX, minY, maxX, maxY
 *   6      words of geometry
 *   7...   geometry (parse-geometry.ts), then its columns: source, source_parcel_id, and the other properties. Each is its length in
 *          bytes, then an encoded Value (property-value.ts), padded to whole words; length 0 means null
 */
export const RECORD = { featureId: 1, box: 2, geometryWords: 6, geometry: 7 } as const

/** The columns that identify a parcel. They come first in every record, and parcels of a tile are in their order. */
export const IDENTITY = ['source', 'source_parcel_id'] as const

/** Larger ids would need a fifth byte, which cannot be compressed because ids are random: 7 more bits make an archive 2% larger. */
const FEATURE_ID_BITS = 28n

/**
 * A parcel's feature id: a hash of its source and its id there, so it is the same in every tile, build and database. In a view of
 * 20,000 parcels, each parcel has a chance of one in 13,000 to share its id with another. Only source and source_parcel_id identify a
 * parcel.
 */
export const featureId = (source: Uint8Array, sourceParcelId: Uint8Array): number =>
  Number(Bun.hash.xxHash3(sourceParcelId, Bun.hash.xxHash3(source)) >> (64n - FEATURE_ID_BITS))
