import type { ParcelAccount } from '../../../core/parcels/accounts'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { Coordinates } from '../coordinates/coordinates'
import type { Mapping } from '../fields/expression'
import { guessRollMap } from '../fields/guess-map'
import { describeColumns } from '../preview/describe-columns'
import type { FilePreview } from '../preview/file-preview'
import { RejectReasons } from '../preview/reject-reasons'
import { sampleColumns } from '../preview/sample-columns'
import { addParcels, RollReader, type RollReading } from './read-roll'
import { RollRows } from './roll-rows'

export interface RollPreview
  extends Pick<FilePreview, 'format' | 'columns' | 'map' | 'rejects' | 'warnings' | 'error'> {
  /** No column can be the id of the parcel. Nothing was checked. */
  isMissingJoin: boolean
  rows: { read: number; isAll: boolean; accounts: number; withoutParcel: number; rejected: number }
  parcels: { all: number; withRow: number; withoutRow: number }
  /** The first parcels with their accounts. */
  sample: { id: string; accounts: ParcelAccount[] }[]
}

export interface RollPreviewOptions extends Omit<RollReading, 'map' | 'file'> {
  /** Given fields. They replace those of the guess. */
  map?: readonly Mapping[]
}

const MAX_PARCELS = 3

/**
 * Reads a roll as a load would, and writes nothing: its columns with samples, a guess of the map, how many of its rows have a parcel of the
 * source and how many of the parcels have a row, and why rows would be rejected.
 *
 * @throws ServiceError `bad_input` for files that cannot be read at all, and for a source without parcels
 */
export const previewRoll = async (
  sql: Sql,
  source: string,
  file: string | readonly string[],
  { map: given = [], ...reading }: RollPreviewOptions = {},
): Promise<RollPreview> => {
  using rows = new RollRows()
  await addParcels(sql, source, rows)
  const { format, columns } = await sampleColumns(file, {
    format: reading.format ?? null,
    encoding: reading.encoding ?? null,
    layer: reading.layer ?? null,
    coordinates: new Coordinates('EPSG:4326'),
  })
  const guessed = guessRollMap(columns, (value) => rows.hasParcel(value))
  const map = [...guessed.filter(({ target }) => !given.some((mapping) => mapping.target === target)), ...given]
  const preview: RollPreview = {
    format,
    ...describeColumns(columns, map),
    rejects: [],
    warnings: [],
    error: null,
    isMissingJoin: !map.some(({ target }) => target === 'source_parcel_id'),
    rows: { read: 0, isAll: false, accounts: 0, withoutParcel: 0, rejected: 0 },
    parcels: { all: rows.countParcels(), withRow: 0, withoutRow: 0 },
    sample: [],
  }
  if (preview.isMissingJoin) return preview
  const reasons = new RejectReasons()
  const reader = new RollReader(source, rows, { ...reading, file, map }, ({ line, reason, id, isWithoutParcel }) => {
    preview.rows[isWithoutParcel ? 'withoutParcel' : 'rejected']++
    reasons.add(reader.places.cell(line), reason, id)
  })
  try {
    await reader.readFiles()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'bad_input' || reader.read === 0) throw error
    preview.error = error.message
  }
  for (const { id, accounts } of reader.parcels()) {
    preview.parcels.withRow++
    preview.rows.accounts += accounts.length
    if (preview.sample.length < MAX_PARCELS) preview.sample.push({ id, accounts })
  }
  preview.parcels.withoutRow = preview.parcels.all - preview.parcels.withRow
  return {
    ...preview,
    rows: { ...preview.rows, read: reader.read, isAll: !reader.isStopped && preview.error === null },
    rejects: reasons.list(),
    warnings: reader.warnings(),
  }
}
