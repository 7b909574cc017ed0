import type { GeometryEncoder } from '../encode/geometry'
import type { LayerEncoder } from '../encode/layer'
import type { Bucket } from '../publish/bucket'
import { RECORD } from '../publish/record'
import { createSortKeys, type DecodedLayer, decodeLayer } from './decode-layer'

/** The parcels that changed, and the properties of the tiles. */
export interface Patch {
  /** The parcels as they are now, without those that are no longer drawn. */
  bucket: Bucket
  /** The sort keys of `bucket`. */
  sortKeys: readonly string[]
  /** The sort keys of all that changed, and their feature ids. */
  changed: ReadonlySet<string>
  changedIds: ReadonlySet<number>
  /** Names of the properties, and their columns in the bucket. */
  keys: readonly string[]
  columns: readonly number[]
}

const EMPTY = new Uint8Array([0x1a, 0])

/**
 * A tile without the parcels that changed, and with those of them that it draws now: `records` of the bucket, in its order. The other
 * features are copied. The result has the same bytes as a tile that is encoded from all of its parcels. Null: it is empty.
 *
 * @param tile null: there was none
 * @param geometries set to this tile
 */
export const patchTile = (
  tile: Uint8Array<ArrayBuffer> | null,
  { bucket, sortKeys, changed, changedIds, keys, columns }: Patch,
  records: readonly number[],
  geometries: GeometryEncoder,
  encoder: LayerEncoder,
): Uint8Array<ArrayBuffer> | null => {
  const former = decodeLayer(tile ?? EMPTY, keys.length)
  const sortKeyOf = createSortKeys(former, keys)
  const { table, values } = joinValues(former, bucket, records, columns)
  encoder.begin(table)
  let next = 0
  const copyUntil = (end: number): void => {
    for (; next < end; next++) {
      const id = former.ids[next] as number
      if (changedIds.has(id) && changed.has(sortKeyOf(next))) continue
      const [start, end] = [former.geometryStart[next] as number, former.geometryEnd[next] as number]
      encoder.add(id, former.values, next * keys.length, former.bytes, start, end)
    }
  }
  for (const [at, record] of records.entries()) {
    copyUntil(findPlace(next, former.count, (feature) => sortKeyOf(feature) < (sortKeys[record] as string)))
    const start = bucket.starts[record] as number
    if (!geometries.draw(start)) continue
    const { bytes, start: first, end } = geometries.last
    encoder.add(bucket.words[start + RECORD.featureId] as number, values, at * columns.length, bytes, first, end)
  }
  copyUntil(former.count)
  return encoder.finish()
}

/** The first number from `low` on, up to `high`, that is not before. */
const findPlace = (low: number, high: number, isBefore: (at: number) => boolean): number => {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * The values of a tile, and those of some records, in one table; and the value numbers of the records. As in a bucket, equal values of a
 * key have one number.
 */
const joinValues = (former: DecodedLayer, bucket: Bucket, records: readonly number[], columns: readonly number[]) => {
  const values = new Int32Array(records.length * columns.length).fill(-1)
  if (records.length === 0) return { table: former, values }
  const starts: number[] = []
  const lengths: number[] = []
  const more: Uint8Array[] = []
  let end = former.bytes.length
  const buffer = Buffer.from(former.bytes.buffer, former.bytes.byteOffset, former.bytes.byteLength)
  const bucketBuffer = Buffer.from(bucket.bytes.buffer)
  for (let key = 0; key < columns.length; key++) {
    /** The values of this key that the records have, and their numbers; -1: not known yet. */
    const numbers = new Map<string, number>()
    const texts = records.map((record) => {
      const value = bucket.values[record * bucket.columnCount + (columns[key] as number)] as number
      if (value < 0) return null
      const start = bucket.valueStart[value] as number
      const text = bucketBuffer.toString('latin1', start, start + (bucket.valueLength[value] as number))
      numbers.set(text, -1)
      return text
    })
    numberFormerValues(former, buffer, key, columns.length, numbers)
    for (const [at, text] of texts.entries()) {
      if (text === null) continue
      let number = numbers.get(text) as number
      if (number < 0) {
        number = former.valueStart.length + starts.length
        numbers.set(text, number)
        starts.push(end)
        lengths.push(text.length)
        more.push(Buffer.from(text, 'latin1'))
        end += text.length
      }
      values[at * columns.length + key] = number
    }
  }
  const table = {
    bytes: new Uint8Array(Buffer.concat([former.bytes, ...more])),
    valueStart: join(former.valueStart, starts),
    valueLength: join(former.valueLength, lengths),
  }
  return { table, values }
}

/** Sets the numbers of those values that the tile already has. The values of a key follow one another (encode/tags.ts). */
const numberFormerValues = (
  { count, values, valueStart, valueLength }: DecodedLayer,
  bytes: Buffer,
  key: number,
  keyCount: number,
  numbers: Map<string, number>,
): void => {
  const firstOf = (key: number): number | undefined => {
    for (let feature = 0; feature < count; feature++) {
      const value = values[feature * keyCount + key] as number
      if (value >= 0) return value
    }
  }
  const first = firstOf(key)
  if (first === undefined) return
  let end: number | undefined
  for (let next = key + 1; next < keyCount && end === undefined; next++) end = firstOf(next)
  // Most values differ in their length or in one of two bytes from all that are looked for, so they need not become texts.
  const flags = new Uint8Array(4096)
  const flagOf = (length: number, last: number, middle: number) => (length ^ (last << 4) ^ (middle << 2)) & 4095
  for (const text of numbers.keys()) {
    flags[flagOf(text.length, text.charCodeAt(text.length - 1), text.charCodeAt(text.length >> 1))] = 1
  }
  for (let value = first; value < (end ?? valueStart.length); value++) {
    const start = valueStart[value] as number
    const length = valueLength[value] as number
    if (flags[flagOf(length, bytes[start + length - 1] as number, bytes[start + (length >> 1)] as number)] === 0)
      continue
    const text = bytes.toString('latin1', start, start + length)
    if (numbers.has(text)) numbers.set(text, value)
  }
}

const join = (numbers: Uint32Array, more: readonly number[]): Uint32Array => {
  const joined = new Uint32Array(numbers.length + more.length)
  joined.set(numbers)
  joined.set(more, numbers.length)
  return joined
}
