/** Most bytes in a varint of 32 bits. */
export const MAX_INT = 5

export const varint = (value: number): Uint8Array => {
  const bytes = new Uint8Array(MAX_INT)
  return bytes.subarray(0, writeInt(bytes, 0, value))
}

/** Returns the buffer if it has room for `more` bytes after the first `used`, else a larger copy. */
export const withRoom = (buffer: Uint8Array<ArrayBuffer>, used: number, more: number): Uint8Array<ArrayBuffer> => {
  if (used + more <= buffer.length) return buffer
  const larger = new Uint8Array(Math.max(2 * buffer.length, used + more))
  larger.set(buffer.subarray(0, used))
  return larger
}

export const zigzag = (value: number): number => (value << 1) ^ (value >> 31)

/** Writes a varint. Returns the position after it. */
export const writeInt = (out: Uint8Array, at: number, value: number): number => {
  while (value > 0x7f) {
    out[at++] = (value & 0x7f) | 0x80
    value >>>= 7
  }
  out[at++] = value
  return at
}

/** Reads a varint of 32 bits. It takes `sizeOfInt` bytes, because `writeInt` writes no more than needed. */
export const readInt = (bytes: Uint8Array, at: number): number => {
  let byte = bytes[at] as number
  if (byte < 0x80) return byte
  let value = byte & 0x7f
  for (let shift = 7; byte >= 0x80; shift += 7) {
    byte = bytes[++at] as number
    value |= (byte & 0x7f) << shift
  }
  return value >>> 0
}

export const sizeOfInt = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5
