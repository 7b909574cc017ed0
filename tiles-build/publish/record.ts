/*
 * A parcel between reading and drawing, as a run of 32-bit words, so that it can be written to a file, read back, and drawn
 * from where it lies:
 *
 *   0      words in all
 *   1, 2   tile order: id of the tile, at the highest zoom, that holds the middle of its box (high, low word)
 *   3, 4   first 52 bits of the parcel's UUID (high, low word): the order within that tile
 *   5, 6   feature id: the last 52 bits (high, low word)
 *   7..10  its box in world steps: minX, minY, maxX, maxY
 *   11     words of geometry
 *   12...  geometry (parse-geometry.ts), then each property: its bytes counted, then an encoded Value (property-value.ts),
 *          padded to whole words; no bytes is null
 */
export const RECORD = { order: 1, uuidHead: 3, featureId: 5, box: 7, geometryWords: 11, geometry: 12 } as const

const WORD = 2 ** 32

export const writeLong = (words: Uint32Array, at: number, value: number): void => {
  words[at] = Math.floor(value / WORD)
  words[at + 1] = value % WORD
}

export const readLong = (words: Uint32Array, at: number): number =>
  (words[at] as number) * WORD + (words[at + 1] as number)

/** The number of 13 hexadecimal digits, leaving out dashes, from `at` on. */
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
 * The integer that a parcel's feature carries in every build: the last 13 hexadecimal digits of its id, which are random
 * bits of a UUIDv7. JavaScript keeps it exact.
 */
export const featureId = (uuid: Uint8Array): number => readHex(uuid, 22)
