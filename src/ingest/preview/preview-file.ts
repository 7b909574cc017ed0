import { type Bbox, uniteBoxes } from '../../../core/geometry/bbox'
import { parcelFields } from '../../../core/parcels/fields'
import { ServiceError } from '../../../core/service-error'
import type { ParcelInput } from '../../../drizzle/records'
import { Coordinates, type DeclaredCrs } from '../coordinates/coordinates'
import type { Mapping } from '../fields/expression'
import { guessMap } from '../fields/guess-map'
import { applyPreset, findPreset, type PresetName } from '../fields/presets'
import { runPipeline } from '../pipeline/pipeline'
import type { IngestSummary } from '../pipeline/summary'
import { readParcels } from '../read-parcels'
import type { ReadingOptions } from '../reading-options'
import { type UnknownEncoding, UnknownLayer, UnreadableFile } from '../rows/unreadable-file'
import { describeColumns } from './describe-columns'
import type { FilePreview } from './file-preview'
import { RejectReasons } from './reject-reasons'
import { sampleColumns } from './sample-columns'

export interface PreviewOptions extends Omit<ReadingOptions, 'file' | 'map'> {
  /** Given fields. They replace those of the preset or of the guess. */
  map?: readonly Mapping[]
  /** Null: recognized by the columns. */
  preset?: PresetName | null
  /** How many rows to check. Null: all. */
  maxRows?: number | null
}

const MAX_PREVIEWED_ROWS = 10_000
const MAX_PARCELS = 10

/**
 * Reads files as a load would, and writes nothing: their columns with samples, a guess of the field map, the coordinate system, and
 * which rows would be rejected and why. The rows go through the same checks as in a load, so a load of the same rows with the same map
 * rejects the same ones. It can take minutes and blocks the thread that it runs in.
 *
 * @throws UnknownLayer, UnknownEncoding if `layer` or `encoding` must be named first; ServiceError `bad_input` for files that cannot be read at all
 */
export const previewFile = async (
  file: string | readonly string[],
  options: PreviewOptions = {},
): Promise<FilePreview> => {
  const { preset: named = null, map: given = [], maxRows = MAX_PREVIEWED_ROWS, ...reading } = options
  const coordinates = new AskedCoordinates(options.crs ?? null)
  const { format, columns, hasGeometry } = await sampleColumns(file, {
    format: options.format ?? null,
    encoding: options.encoding ?? null,
    layer: options.layer ?? null,
    coordinates,
  })
  const names = columns.map(({ name }) => name)
  const preset = named ?? findPreset(names)
  const proposed = preset === null ? guessMap(columns, hasGeometry) : applyPreset(preset, names)
  const map = [...proposed.filter(({ target }) => !given.some((mapping) => mapping.target === target)), ...given]
  const isMissingId = !map.some(({ target }) => target === 'source_parcel_id')
  const checked = isMissingId
    ? NOTHING_CHECKED
    : await checkRows(coordinates, { ...reading, file, map, ...(maxRows === null ? {} : { maxRows }) })
  return {
    format,
    crs: {
      name: coordinates.question === null ? coordinates.name : null,
      notes: coordinates.notes(),
      question: coordinates.question,
    },
    asks: null,
    layers: [],
    ...describeColumns(columns, map),
    preset,
    missing_id: isMissingId,
    ...checked,
  }
}

type Checked = Pick<FilePreview, 'rows' | 'rejects' | 'sample' | 'bbox' | 'warnings' | 'error'>

const NOTHING_CHECKED: Checked = {
  rows: { read: 0, is_all: false, parcels: 0, rejected: 0, merged: 0, without_boundary: 0, points: 0, repaired: 0 },
  rejects: [],
  sample: [],
  bbox: null,
  warnings: [],
  error: null,
}

/** The preview of a file that cannot be read until its layer or its encoding is named. */
export const previewUnread = (error: UnknownLayer | UnknownEncoding): FilePreview => ({
  ...NOTHING_CHECKED,
  format: 'not known',
  crs: { name: null, notes: [], question: null },
  columns: [],
  preset: null,
  map: {},
  ...(error instanceof UnknownLayer ? { asks: 'layer', layers: [...error.names] } : { asks: 'encoding', layers: [] }),
  missing_id: true,
  error: error.message,
})

/** Runs a load without its writes. */
const checkRows = async (
  coordinates: AskedCoordinates,
  options: ReadingOptions & { maxRows?: number },
): Promise<Checked> => {
  const reasons = new RejectReasons()
  const sample: Record<string, unknown>[] = []
  let bbox: Bbox | null = null
  let withoutBoundary = 0
  let points = 0
  let parcels = 0
  let counts: Pick<IngestSummary, 'read' | 'rejected' | 'merged'> = { read: 0, rejected: 0, merged: 0 }
  const kind = readParcels(options, coordinates)
  const see = (rows: readonly ParcelInput[]) => {
    for (const row of rows) {
      if (sample.length < MAX_PARCELS) sample.push(toSample(row))
      if (row.geom == null) withoutBoundary++
      const point: Bbox | null = row.lon == null || row.lat == null ? null : [row.lon, row.lat, row.lon, row.lat]
      if (row.geom == null && point !== null) points++
      const box = row.bbox ?? point
      if (box !== null) bbox = bbox === null ? box : uniteBoxes(bbox, box)
    }
    parcels += rows.length
    return Promise.resolve({ inserted: rows.length, updated: 0, unchanged: 0 })
  }
  const { repaired, stopped, warnings, error } = await runPipeline<ParcelInput>(
    { ...options, rejects: reasons },
    {
      ...kind,
      // Coordinates in an unknown system are meaningless.
      read: (...row) => {
        const shape = kind.read(...row)
        return coordinates.question === null ? shape : () => 'none'
      },
      upsert: see,
      onRejected: () => {},
      finish: async ({ read, rejected, merged }) => {
        counts = { read, rejected, merged }
        return { load: null }
      },
      abandon: async () => null,
    },
  )
    .then((summary) => ({ ...summary, error: null }))
    .catch((failure: unknown) => {
      if (!(failure instanceof ServiceError)) throw failure
      // The pipeline adds how much was loaded to the message, but a preview loads nothing.
      const { message } = failure.cause instanceof ServiceError ? failure.cause : failure
      return { repaired: 0, stopped: true, warnings: [], error: message }
    })
  return {
    rows: {
      ...counts,
      is_all: !stopped && error === null,
      parcels,
      without_boundary: withoutBoundary,
      points,
      repaired,
    },
    rejects: reasons.list(),
    sample,
    bbox,
    warnings,
    error,
  }
}

/** Returns a question instead of refusing the file. */
class AskedCoordinates extends Coordinates {
  /** The question to answer before the file can be loaded. Null: the system is known. */
  question: string | null = null

  override declare(declared: DeclaredCrs): void {
    try {
      super.declare(declared)
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      this.question = error.message
    }
  }

  override toLonLat(geometry: unknown, crs?: unknown): unknown {
    try {
      return super.toLonLat(geometry, crs)
    } catch (error) {
      if (error instanceof UnreadableFile) this.question = error.message
      throw error
    }
  }
}

const toSample = (parcel: ParcelInput): Record<string, unknown> => ({
  source_parcel_id: parcel.sourceParcelId,
  ...Object.fromEntries(parcelFields.flatMap(({ name, key }) => (parcel[key] == null ? [] : [[name, parcel[key]]]))),
})
