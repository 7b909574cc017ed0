import type { Transaction } from '../../core/postgres/database'
import { type ChangedBox, forEachChangedParcel, listChangedBoxes } from '../../drizzle/queries/tiles/changed-parcels'
import { type Bucket, createBucket, sortKeyOfParcel } from '../encode/bucket'
import { featureId } from '../encode/record'
import type { PatchJob } from '../job'
import { createGeometryBox } from '../read/parse-geometry'
import { createRecordWriter, type ReadOptions } from '../read/read-parcels'
import { listTouchedTiles } from './touched-tiles'

/** What has changed since an archive was published. */
export interface Changes {
  boxes: readonly ChangedBox[]
  /** All parcels that changed. */
  changed: PatchJob['changed']
  /** Those that are drawn now. */
  bucket: Bucket
  /** The tiles where a changed parcel is or was, in the order of their ids, each with the records of the bucket that it may draw. */
  touched: readonly { tileId: number; records: number[] }[]
}

/** Reads the changes after a version of the record. Null: they touch too many tiles. */
export const readChanges = async (tx: Transaction, version: number, read: ReadOptions): Promise<Changes | null> => {
  const boxes = await listChangedBoxes(tx, version)
  const bucket = createBucket(await readRecords(tx, version, read), read.columns.length)
  const touched = listTouchedTiles(boxes, bucket, read)
  return touched && { boxes, changed: listChanged(boxes), bucket, touched }
}

/** The changed parcels that are drawn, as records, one after another. */
const readRecords = async (
  tx: Transaction,
  version: number,
  { filter, columns }: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> => {
  const writeRecord = createRecordWriter(columns)
  const box = createGeometryBox()
  const records: Uint8Array[] = []
  await forEachChangedParcel(tx, version, filter, columns, (geometry, texts) => {
    const record = writeRecord(geometry, texts, box)
    if (record !== null) records.push(new Uint8Array(record.slice().buffer))
  })
  const bytes = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const record of records) {
    bytes.set(record, at)
    at += record.length
  }
  return bytes
}

const listChanged = (boxes: readonly ChangedBox[]): PatchJob['changed'] => {
  const encoder = new TextEncoder()
  const found = new Map<string, number>()
  for (const { source, source_parcel_id: id } of boxes) {
    const sortKey = sortKeyOfParcel(source, id)
    if (!found.has(sortKey)) found.set(sortKey, featureId(encoder.encode(source), encoder.encode(id)))
  }
  return Array.from(found, ([sortKey, featureId]) => ({ sortKey, featureId }))
}
