import type { ParcelFieldName } from '../../../core/parcels/fields'
import { Coordinates } from '../../ingest/coordinates/coordinates'
import type { Mapping } from '../../ingest/fields/expression'
import { ENTITY_FIELDS, type Fields, PARCEL_FIELDS } from '../../ingest/fields/fields'
import { applyPreset, PRESET_NAMES, type PresetName } from '../../ingest/fields/presets'
import type { IngestOptions } from '../../ingest/ingest'
import { fileSize } from '../../ingest/inputs/read-bytes'
import { previewFile } from '../../ingest/preview/preview-file'
import { sampleColumns } from '../../ingest/preview/sample-columns'
import { DUPLICATES, SUMMABLE_FIELDS } from '../../ingest/reading-options'
import { UsageError } from '../command/command'
import { oneOf } from '../command/option-values'
import { useDatabase } from '../command/use-database'
import { describePreview } from '../terminal/describe-preview'
import { createProgress } from '../terminal/progress'
import { DATABASE, readAsOf, readCrs, readEncoding, readFormat, readRowCount, type Values } from './options'
import { readMap, replaceFields } from './read-map'
import { describeSummary, reportEnd } from './report'
import { readEntityTarget, readParcelTarget } from './targets'
import { nameOf, withInputs } from './with-inputs'

/** `bun run ingest parcels` and `bun run ingest entities`. */
export const ingestFiles = async (
  what: 'parcels' | 'entities',
  values: Values,
  files: readonly string[],
): Promise<void> => {
  if (values.join !== undefined) throw new UsageError('--join belongs to `ingest roll`')
  if (values.preview) {
    if (what !== 'parcels') throw new UsageError('--preview belongs to `ingest parcels` and `ingest roll`')
    return await previewParcels(values, files)
  }
  if (values.rows !== undefined) throw new UsageError('--rows belongs to --preview')
  const open = what === 'parcels' ? readParcelTarget(values) : readEntityTarget(values)
  const { given, preset, options } = await readFileOptions(
    values,
    files,
    what === 'parcels' ? PARCEL_FIELDS : ENTITY_FIELDS,
  )
  await withInputs(files, async (inputs, signal) => {
    const map = preset === null ? given : await completeWithPreset(preset, given, inputs, options)
    const sizeBytes = inputs.reduce((sum, path) => sum + fileSize(path), 0)
    await useDatabase(DATABASE, async (sql) => {
      const load = await open(sql)
      using progress = createProgress(`${what} of ${files.map(nameOf).join(', ')}`, sizeBytes, { isBytes: true })
      const summary = await load({
        ...options,
        map,
        file: inputs,
        signal,
        say: (line: string) => console.error(line),
        onProgress: (bytes) => progress.update(bytes),
      })
      progress.finish(describeSummary(summary, options))
      for (const note of summary.notes) console.error(note)
      reportEnd(summary, {
        loaded: summary.read - summary.rejected,
        hint: what === 'parcels' ? '--preview shows the columns of the file, and a --map that fits them.' : '',
      })
    })
  })
}

const previewParcels = async (values: Values, files: readonly string[]): Promise<void> => {
  const { given, preset, options } = await readFileOptions(values, files, PARCEL_FIELDS)
  await withInputs(files, async (inputs, signal) => {
    const maxRows = readRowCount(values)
    const preview = await previewFile(inputs, {
      ...options,
      map: given,
      preset,
      signal,
      ...(maxRows === undefined ? {} : { maxRows }),
    })
    console.log(describePreview(preview, { files, given, options: readingOptionsOf(values) }))
  })
}

interface FileOptions {
  /** The given fields. */
  given: Mapping[]
  preset: PresetName | null
  options: Omit<IngestOptions, 'file' | 'map'>
}

const readFileOptions = async (values: Values, files: readonly string[], fields: Fields): Promise<FileOptions> => {
  const given = await readMap(values, fields)
  const preset = values.preset === undefined ? null : oneOf('--preset', values.preset, PRESET_NAMES)
  const options = {
    format: readFormat(values),
    encoding: readEncoding(values),
    rejectsFile: values.rejects ?? `${nameOf(files[0] as string)}.rejects.csv`,
    duplicates: oneOf('--duplicates', values.duplicates, DUPLICATES),
    sum: readSum(values),
    isComplete: values.complete,
    asOf: readAsOf(values),
    brokenGeometry: oneOf('--broken-geometry', values['broken-geometry'], ['reject', 'leave-out'] as const),
    boundaryColumn: values.boundary ?? null,
    crs: await readCrs(values),
    layer: values.layer ?? null,
  }
  return { given, preset, options }
}

const readSum = (values: Values): ParcelFieldName[] => {
  if (values.sum === undefined) return []
  if (values.duplicates !== 'merge') throw new UsageError('--sum belongs to --duplicates merge')
  return values.sum.split(',').map((name) => oneOf('--sum', name.trim(), SUMMABLE_FIELDS))
}

/** The map of a preset needs the columns of the file, because shapefiles truncate their names. */
const completeWithPreset = async (
  preset: PresetName,
  given: Mapping[],
  file: readonly string[],
  { format = null, encoding = null, layer = null, crs }: Omit<IngestOptions, 'file' | 'map'>,
): Promise<Mapping[]> => {
  const { columns } = await sampleColumns(file, { format, encoding, layer, coordinates: new Coordinates(crs ?? null) })
  return replaceFields(
    applyPreset(
      preset,
      columns.map(({ name }) => name),
    ),
    given,
  )
}

/** The given options that a load needs, too, for the command that a preview prints. */
const readingOptionsOf = (values: Values): string[] => {
  const names = ['crs', 'layer', 'format', 'encoding', 'boundary', 'duplicates', 'sum', 'broken-geometry'] as const
  return names.flatMap((name) => {
    const value = values[name]
    return value === undefined || value === 'reject' ? [] : [`--${name}`, value]
  })
}
