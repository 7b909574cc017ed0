import type { Mapping } from '../../ingest/fields/field-map'
import type { FilePreview } from '../../ingest/preview/file-preview'

const number = (value: number): string => value.toLocaleString('en-US')
const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`

/** A preview as text, with the command that loads the file. */
export const describePreview = (
  preview: FilePreview,
  { files, given }: { files: readonly string[]; given: readonly Mapping[] },
): string => {
  const { columns, crs, rows } = preview
  const width = Math.min(32, Math.max(6, ...columns.map(({ name }) => name.length)))
  const lines = [
    `${preview.format}, ${crs.name ?? 'coordinate system not known'}`,
    ...crs.notes.map((note) => `  ${note}`),
    ...(crs.question === null ? [] : [`  ${crs.question}`]),
    '',
    `${'column'.padEnd(width)}  filled  field                  samples`,
    ...columns.map(({ name, filled, fields, samples }) =>
      `${name.padEnd(width)}  ${`${Math.round(filled * 100)} %`.padStart(6)}  ${fields.join(', ').padEnd(21)}  ${samples.join(' | ')}`.trimEnd(),
    ),
    '',
    describeOrigin(preview, given),
    ...Object.entries(preview.map).map(([field, expression]) => `  ${field}=${expression}`),
    '',
  ]
  if (preview.missing_id) {
    lines.push('No column looks like the id of a parcel. Name it, for example --map source_parcel_id=COLUMN')
    return lines.join('\n')
  }
  lines.push(
    `${rows.is_all ? `All ${count(rows.read, 'row', 'rows')}` : `The first ${count(rows.read, 'row', 'rows')}`}: ${count(rows.parcels, 'parcel', 'parcels')} would be loaded, ${count(rows.rejected, 'row', 'rows')} rejected${rows.merged > 0 ? `, ${number(rows.merged)} merged into others` : ''}`,
    ...(rows.without_boundary > 0 ? [`  parcels without a boundary: ${number(rows.without_boundary)}`] : []),
    ...(rows.repaired > 0 ? [`  boundaries that would be repaired: ${number(rows.repaired)}`] : []),
    ...(preview.bbox === null
      ? []
      : [
          `  boundaries are between ${preview.bbox.map((value) => value.toFixed(4)).join(', ')} (west, south, east, north)`,
        ]),
    ...preview.rejects.flatMap(({ count: rejected, examples }) => [
      `  rejected: ${count(rejected, 'row', 'rows')} such as`,
      ...examples.map(
        ({ place, id, reason }) =>
          `    ${/^\d+$/.test(place) ? 'line ' : ''}${place}${id === '' ? '' : ` (${id})`}: ${reason}`,
      ),
    ]),
    ...preview.warnings.map((warning) => `  warning: ${warning}`),
    ...(preview.error === null ? [] : [`  reading ended there: ${preview.error}`]),
    '',
    'Nothing was written. To load it:',
    `  bun run ingest parcels --source SLUG ${describeMap(preview, given)} ${files.map(quote).join(' ')}`,
  )
  return lines.join('\n')
}

const describeOrigin = ({ preset }: FilePreview, given: readonly Mapping[]): string => {
  const origin = preset === null ? 'guessed by the names and values of columns' : `of the schema ${preset}`
  return `field map, ${origin}${given.length > 0 ? `; given: ${given.map(({ target }) => target).join(', ')}` : ''}`
}

const describeMap = ({ preset, map }: FilePreview, given: readonly Mapping[]): string => {
  const isGiven = (field: string) => given.some(({ target }) => target === field)
  const pairs = Object.entries(map).filter(([field]) => preset === null || isGiven(field))
  return [
    ...(preset === null ? [] : [`--preset ${preset}`]),
    ...(pairs.length === 0 ? [] : [`--map ${quote(pairs.map(([field, text]) => `${field}=${text}`).join(', '))}`]),
  ].join(' ')
}

/** For a POSIX shell. */
const quote = (text: string): string => (/^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
