/*
 * A parcel between reading and drawing, as a run of 32-bit words. It can be written to a file, read back, and drawn in place:
 *
 *   0      length in words
 *   1, 2   tile order: id of the tile at the highest zoom with the center of its box (high, low word)
 *   3, 4   first 52 bits of the parcel's UUID (high, low word): the order within that tile
 *   5, 6   feature id: the last 52 bits (high, low word)
 *   7..10  its box in world steps: minX, minY, maxX, maxY
 *   11     words of geometry
 *   12...  geometry (parse-geometry.ts), then each property: its length in bytes, then an encoded Value (property-value.ts),
 *          padded to whole words; length 0 means null
 */
export const RECORD = { order: 1, uuidHead: 3, featureId: 5, box: 7, geometryWords: 11, geometry: 12 } as const

const WORD = 2 ** 32

export const writeLong = (words: Uint32Array, at: number, value: number): void => {
  words[at] = Math.floor(value / WORD)
  words[at + 1] = value % WORD
}

export const readLong = (words: Uint32Array, at: number): number =>
  (words[at] as number) * WORD + (words[at + 1] as number)

/** Reads 13 hexadecimal digits from `at` on, skipping dashes. */
const readHex = (text: Uint8Array, at: number): number => {
  let value = 0
  for (let digits = 0; digits < 13; at++) {
    const byte = text[at] as number
    if (byte === DASH) continue
    value = value * 16 + (byte <= NINE ? byte - ZERO : byte - LOWER_A + 10)
    digits++
  }
  return value
}
const DASH = 0x2d
const ZERO = 0x30
const NINE = 0x39
const LOWER_A = 0x61

/** The first 52 bits of a UUID's text. */
export const uuidHead = (uuid: Uint8Array): number => readHex(uuid, 0)

/**
 * A parcel's feature id, the same in every build: the last 13 hexadecimal digits of its UUIDv7, which are random bits. 52 bits are
 * exact in a JavaScript number.
 */
export const featureId = (uuid: Uint8Array): number => readHex(uuid, 22)
