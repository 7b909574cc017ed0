import type { Mapping } from '../../ingest/fields/field-map'
import type { FilePreview } from '../../ingest/preview/file-preview'
import type { RollPreview } from '../../ingest/roll/preview-roll'

const number = (value: number): string => value.toLocaleString('en-US')
const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`

/** A preview as text, with the command that loads the file. */
export const describePreview = (
  preview: FilePreview,
  { files, given }: { files: readonly string[]; given: readonly Mapping[] },
): string => {
  const { crs, rows } = preview
  const lines = [
    `${preview.format}, ${crs.name ?? 'coordinate system not known'}`,
    ...crs.notes.map((note) => `  ${note}`),
    ...(crs.question === null ? [] : [`  ${crs.question}`]),
    '',
    ...listColumns(preview.columns),
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
    ...(rows.without_boundary > 0
      ? [
          `  parcels without a boundary: ${number(rows.without_boundary)}${rows.points > 0 ? `, of these with a point: ${number(rows.points)}` : ''}`,
        ]
      : []),
    ...(rows.repaired > 0 ? [`  boundaries that would be repaired: ${number(rows.repaired)}`] : []),
    ...(preview.bbox === null
      ? []
      : [
          `  ${rows.points > 0 ? 'points and boundaries' : 'boundaries'} are between ${preview.bbox.map((value) => value.toFixed(4)).join(', ')} (west, south, east, north)`,
        ]),
    ...listFindings(preview),
    '',
    'Nothing was written. To load it (a new source also needs --state XX --county NAME):',
    `  bun run ingest parcels --source SLUG ${describeMap(preview, given)} ${files.map(quote).join(' ')}`,
  )
  return lines.join('\n')
}

/** Like `describePreview`, for a roll. */
export const describeRollPreview = (
  preview: RollPreview,
  { source, files, given }: { source: string; files: readonly string[]; given: readonly Mapping[] },
): string => {
  const { rows, parcels } = preview
  const { source_parcel_id: join = '', ...map } = preview.map
  const lines = [
    preview.format,
    '',
    ...listColumns(preview.columns),
    '',
    `field map, guessed by names, values and ids of parcels${given.length > 0 ? `; given: ${given.map(({ target }) => target).join(', ')}` : ''}`,
    ...Object.entries(preview.map).map(([field, expression]) => `  ${field}=${expression}`),
    '',
  ]
  if (preview.isMissingJoin) {
    return [...lines, "No column looks like the parcel's id. Name it, for example --join COLUMN"].join('\n')
  }
  const pairs = Object.entries(map).map(([field, text]) => `${field}=${text}`)
  return [
    ...lines,
    `${rows.isAll ? `All ${count(rows.read, 'row', 'rows')}` : `The first ${count(rows.read, 'row', 'rows')}`}: ${count(rows.accounts, 'account', 'accounts')} of ${count(parcels.withRow, 'parcel', 'parcels')}, ${count(rows.withoutParcel, 'row', 'rows')} without a parcel, ${number(rows.rejected)} rejected`,
    `  parcels of ${source}: ${number(parcels.all)}, ${number(parcels.withoutRow)} without a row`,
    ...listFindings(preview),
    '',
    'Nothing was written. To load it:',
    `  bun run ingest roll --source ${source} --join ${quote(join)}${pairs.length === 0 ? '' : ` --map ${quote(pairs.join(', '))}`} ${files.map(quote).join(' ')}`,
  ].join('\n')
}

const listColumns = (columns: FilePreview['columns']): string[] => {
  const width = Math.min(32, Math.max(6, ...columns.map(({ name }) => name.length)))
  return [
    `${'column'.padEnd(width)}  filled  field                  samples`,
    ...columns.map(({ name, filled, fields, samples }) =>
      `${name.padEnd(width)}  ${`${Math.round(filled * 100)} %`.padStart(6)}  ${fields.join(', ').padEnd(21)}  ${samples.join(' | ')}`.trimEnd(),
    ),
  ]
}

const listFindings = ({ rejects, warnings, error }: Pick<FilePreview, 'rejects' | 'warnings' | 'error'>): string[] => [
  ...rejects.flatMap(({ count: rejected, examples }) => [
    `  rejected: ${count(rejected, 'row', 'rows')} such as`,
    ...examples.map(
      ({ place, id, reason }) =>
        `    ${/^\d+$/.test(place) ? 'line ' : ''}${place}${id === '' ? '' : ` (${id})`}: ${reason}`,
    ),
  ]),
  ...warnings.map((warning) => `  warning: ${warning}`),
  ...(error === null ? [] : [`  reading ended there: ${error}`]),
]

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
