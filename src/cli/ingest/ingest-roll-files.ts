import { ServiceError } from '../../../core/service-error'
import { findSourceState } from '../../../drizzle/queries/sources/create-source'
import type { Mapping } from '../../ingest/fields/expression'
import { parseFieldMap } from '../../ingest/fields/field-map'
import { fileSize } from '../../ingest/inputs/read-bytes'
import { ingestRoll, type RollOptions } from '../../ingest/roll/ingest-roll'
import { previewRoll } from '../../ingest/roll/preview-roll'
import { ROLL_FIELDS } from '../../ingest/roll/roll-fields'
import { orUsageError, UsageError } from '../command/command'
import { useDatabase } from '../command/use-database'
import { describeRollPreview } from '../terminal/describe-preview'
import { createProgress } from '../terminal/progress'
import { DATABASE, readAsOf, readEncoding, readFormat, readRowCount, type Values } from './options'
import { readMap, replaceFields } from './read-map'
import { describeRollSummary, reportEnd } from './report'
import { nameOf, withInputs } from './with-inputs'

/** `bun run ingest roll`. */
export const ingestRollFiles = async (values: Values, files: readonly string[]): Promise<void> => {
  const options = await readRollOptions(values, files)
  const { source } = values
  if (source === undefined) throw new UsageError("--source is missing: the slug of the parcels' source")
  await withInputs(files, async (inputs, signal) => {
    await useDatabase(DATABASE, async (sql) => {
      if ((await findSourceState(sql, source)) === null)
        throw new ServiceError('not_found', `--source: there is no source "${source}"`)
      if (values.preview) {
        const maxRows = readRowCount(values) ?? Number.POSITIVE_INFINITY
        const preview = await previewRoll(sql, source, inputs, { ...options, signal, maxRows })
        return console.log(describeRollPreview(preview, { source, files, given: options.map }))
      }
      const size = inputs.reduce((sum, path) => sum + fileSize(path), 0)
      using progress = createProgress(`roll of ${files.map(nameOf).join(', ')}`, size, { isBytes: true })
      const summary = await ingestRoll(sql, source, {
        ...options,
        file: inputs,
        signal,
        say: (line: string) => console.error(line),
        onProgress: (bytes) => progress.update(bytes),
      })
      progress.finish(describeRollSummary(summary, options))
      reportEnd(summary, {
        loaded: summary.read - summary.rejected - summary.withoutParcel,
        hint: '--preview shows the columns of the file, and guesses --join and --map.',
      })
    })
  })
}

const readRollOptions = async (values: Values, files: readonly string[]): Promise<Omit<RollOptions, 'file'>> => {
  for (const name of ['jurisdiction', 'state', 'county', 'base-url', 'boundary', 'crs', 'sum', 'preset'] as const) {
    if (values[name] !== undefined) throw new UsageError(`--${name} does not belong to \`ingest roll\``)
  }
  if (!values.preview && values.rows !== undefined) throw new UsageError('--rows belongs to --preview')
  const { join } = values
  if (join === undefined && !values.preview) {
    throw new UsageError("--join is missing: the roll's column with the id of the parcel (--preview guesses it)")
  }
  const key = join === undefined ? [] : await orUsageError('--join', () => parseJoin(join))
  const name = nameOf(files[0] as string)
  return {
    map: replaceFields(await readMap(values, ROLL_FIELDS), key),
    format: readFormat(values),
    encoding: readEncoding(values),
    layer: values.layer ?? null,
    rejectsFile: values.rejects ?? `${name}.rejects.csv`,
    parcelsWithoutRowFile: `${name}.parcels-without-row.csv`,
    isComplete: values.complete,
    asOf: readAsOf(values),
  }
}

/** `COLUMN`, or `PIN=COLUMN`: what is before `=` is only a note for the reader of the command. */
const parseJoin = (text: string): Mapping[] => {
  const column = /^\s*(?:"[^"]+"|[\p{L}_$][\p{L}\p{N}_.$]*)\s*=(.*)$/su.exec(text)?.[1] ?? text
  return parseFieldMap(`source_parcel_id=${column}`, ROLL_FIELDS)
}
