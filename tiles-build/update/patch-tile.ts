import { type Bucket, createValueFinder } from '../encode/bucket'
import type { GeometryEncoder } from '../encode/geometry'
import type { LayerEncoder } from '../encode/layer'
import { RECORD } from '../encode/record'
import type { ValueTable } from '../encode/tags'
import { withRoom } from '../encode/varint'
import { createLayerDecoder, createSortKeys, type DecodedLayer } from './decode-layer'

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

/**
 * Returns a tile without the parcels that changed, and with those of them that it draws now: `records` of the bucket, in its order. The other
 * features are copied. The result has the same bytes as a tile that is encoded from all of its parcels, and is valid until the next call.
 * Null: it is empty.
 *
 * @param tile null: there was none
 */
export type PatchTile = (
  tile: Uint8Array<ArrayBuffer> | null,
  records: readonly number[],
) => Uint8Array<ArrayBuffer> | null

const EMPTY = new Uint8Array([0x1a, 0])

/** `geometries` must be set to the tile before each call. The buffers are reused between tiles. */
export const createTilePatcher = (patch: Patch, geometries: GeometryEncoder, encoder: LayerEncoder): PatchTile => {
  const { bucket, changed, changedIds, keys, columns } = patch
  const decodeLayer = createLayerDecoder(keys.length)
  const joinValues = createValueJoiner(bucket, columns)

  return (tile, records) => {
    const former = decodeLayer(tile ?? EMPTY)
    const { count, ids, shapeStart, shapeEnd } = former
    const sortKeyOf = createSortKeys(former, keys)
    const gone: GoneFeature[] = []
    for (let feature = 0; feature < count; feature++) {
      if (!changedIds.has(ids[feature] as number)) continue
      const key = sortKeyOf(feature)
      if (changed.has(key)) gone.push({ feature, key })
    }
    const places = findPlaces(
      gone,
      count,
      records.map((record) => patch.sortKeys[record] as string),
      sortKeyOf,
    )
    const { table, values } = joinValues(former, records)
    encoder.begin(table)
    let [next, nextGone] = [0, 0]
    const copyUntil = (end: number): void => {
      for (; next < end; next++) {
        if (gone[nextGone]?.feature === next) nextGone++
        else {
          const [start, end] = [shapeStart[next] as number, shapeEnd[next] as number]
          encoder.add(ids[next] as number, former.values, next * keys.length, former.bytes, start, end)
        }
      }
    }
    for (const [at, record] of records.entries()) {
      copyUntil(places[at] as number)
      const start = bucket.starts[record] as number
      if (!geometries.draw(start)) continue
      const { bytes, start: first, end } = geometries.last
      encoder.add(bucket.words[start + RECORD.featureId] as number, values, at * columns.length, bytes, first, end)
    }
    copyUntil(count)
    return encoder.finish()
  }
}

/** A feature of the former tile that is not copied, and its sort key. */
interface GoneFeature {
  feature: number
  key: string
}

/** For each record, the feature that it must precede. Features and records are sorted by their keys. Most records replace a feature. */
const findPlaces = (
  gone: readonly GoneFeature[],
  count: number,
  recordKeys: readonly string[],
  sortKeyOf: (feature: number) => string,
): number[] => {
  let [low, nextGone] = [0, 0]
  return recordKeys.map((key) => {
    for (; nextGone < gone.length && (gone[nextGone] as GoneFeature).key < key; nextGone++) {
      low = (gone[nextGone] as GoneFeature).feature + 1
    }
    const next = gone[nextGone]
    let high = next?.feature ?? count
    if (next?.key === key) low = high
    while (low < high) {
      const middle = (low + high) >> 1
      if (sortKeyOf(middle) < key) low = middle + 1
      else high = middle
    }
    return low
  })
}

/**
 * Returns a function that joins the values of a tile and those of some records into one table, with the value numbers of the records. As in
 * a bucket, equal values of a key have one number. The table is valid until the next call.
 */
const createValueJoiner = (bucket: Bucket, columns: readonly number[]) => {
  const findValue = createValueFinder(bucket)
  /** The number in the table of each value of the bucket; -1: it is not there. */
  const numberOf = new Int32Array(bucket.valueStart.length)
  let bytes = new Uint8Array()
  let valueStart = new Uint32Array()
  let valueLength = new Uint32Array()

  return (former: DecodedLayer, records: readonly number[]): { table: ValueTable; values: Int32Array } => {
    const values = new Int32Array(records.length * columns.length).fill(-1)
    if (records.length === 0) return { table: former, values }
    numberOf.fill(-1)
    const formerCount = former.valueStart.length
    for (let value = 0; value < formerCount; value++) {
      const [start, length] = [former.valueStart[value] as number, former.valueLength[value] as number]
      const found = findValue(former.bytes, start, length, columns[former.keyOf[value] as number] as number)
      if (found >= 0) numberOf[found] = value
    }
    const most = formerCount + values.length
    if (valueStart.length < most) {
      valueStart = new Uint32Array(most)
      valueLength = new Uint32Array(most)
    }
    valueStart.set(former.valueStart)
    valueLength.set(former.valueLength)
    let [count, end] = [formerCount, former.bytes.length]
    bytes = withRoom(bytes, 0, end)
    bytes.set(former.bytes)
    for (const [at, record] of records.entries()) {
      for (const [key, column] of columns.entries()) {
        const value = bucket.values[record * bucket.columnCount + column] as number
        if (value < 0) continue
        if ((numberOf[value] as number) < 0) {
          const [start, length] = [bucket.valueStart[value] as number, bucket.valueLength[value] as number]
          bytes = withRoom(bytes, end, length)
          bytes.set(bucket.bytes.subarray(start, start + length), end)
          valueStart[count] = end
          valueLength[count] = length
          numberOf[value] = count++
          end += length
        }
        values[at * columns.length + key] = numberOf[value] as number
      }
    }
    const table = { bytes, valueStart: valueStart.subarray(0, count), valueLength: valueLength.subarray(0, count) }
    return { table, values }
  }
}
