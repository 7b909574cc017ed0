import { countNoun, describeRowsRead, formatCount } from '../../../core/text/count-noun'
import type { Mapping } from '../../ingest/fields/expression'
import type { FilePreview } from '../../ingest/preview/file-preview'
import type { RollPreview } from '../../ingest/roll/preview-roll'

/** A preview as text, with the command that loads the file. */
export const describePreview = (
  preview: FilePreview,
  { files, given, options }: { files: readonly string[]; given: readonly Mapping[]; options: readonly string[] },
): string => {
  const { crs, rows } = preview
  const lines = [
    `${preview.format}, ${crs.name ?? 'coordinate system not known'}`,
    ...crs.notes.map((note) => `  ${note}`),
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
  if (crs.question !== null) {
    lines.push(`Nothing was written. A load of this file would be refused: ${crs.question}`)
    return lines.join('\n')
  }
  lines.push(
    `${describeRowsRead(rows.read, rows.is_all)}: ${countNoun(rows.parcels, 'parcel')} would be loaded, ${countNoun(rows.rejected, 'row')} rejected${rows.merged > 0 ? `, ${formatCount(rows.merged)} merged into others` : ''}`,
    ...(rows.without_boundary > 0
      ? [
          `  parcels without a boundary: ${formatCount(rows.without_boundary)}${rows.points > 0 ? `, of these with a point: ${formatCount(rows.points)}` : ''}`,
        ]
      : []),
    ...(rows.repaired > 0 ? [`  boundaries that would be repaired: ${formatCount(rows.repaired)}`] : []),
    ...(preview.bbox === null
      ? []
      : [
          `  ${rows.points > 0 ? 'points and boundaries' : 'boundaries'} are between ${preview.bbox.map((value) => value.toFixed(4)).join(', ')} (west, south, east, north)`,
        ]),
    ...listFindings(preview),
    '',
    'Nothing was written. To load it (a new source also needs --state XX --county NAME):',
    `  ${['bun run ingest parcels --source SLUG', ...options.map(quote), describeMap(preview, given), ...files.map(quote)].join(' ')}`,
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
    `${describeRowsRead(rows.read, rows.isAll)}: ${countNoun(rows.accounts, 'account')} of ${countNoun(parcels.withRow, 'parcel')}, ${countNoun(rows.withoutParcel, 'row')} without a parcel, ${formatCount(rows.rejected)} rejected`,
    `  parcels of ${source}: ${formatCount(parcels.all)}, ${formatCount(parcels.withoutRow)} without a row`,
    ...listFindings(preview),
    '',
    'Nothing was written. To load it:',
    `  bun run ingest roll --source ${source} --join ${quote(join)}${pairs.length === 0 ? '' : ` --map ${quote(pairs.join(', '))}`} ${files.map(quote).join(' ')}`,
  ].join('\n')
}

const listColumns = (columns: FilePreview['columns']): string[] => {
  const width = Math.min(32, Math.max(6, ...columns.map(({ name }) => name.length)))
  const fieldWidth = Math.min(32, Math.max(21, ...columns.map(({ fields }) => fields.join(', ').length)))
  return [
    `${'column'.padEnd(width)}  filled  ${'field'.padEnd(fieldWidth)}  samples`,
    ...columns.map(({ name, filled, fields, samples }) =>
      `${name.padEnd(width)}  ${`${Math.round(filled * 100)}%`.padStart(6)}  ${fields.join(', ').padEnd(fieldWidth)}  ${samples.join(' | ')}`.trimEnd(),
    ),
  ]
}

const listFindings = ({ rejects, warnings, error }: Pick<FilePreview, 'rejects' | 'warnings' | 'error'>): string[] => [
  ...rejects.flatMap(({ count: rejected, examples }) => [
    `  rejected: ${countNoun(rejected, 'row')} such as`,
    ...examples.map(
      ({ place, id, reason }) =>
        `    ${/^\d+$/.test(place) ? 'line ' : ''}${place}${id === '' ? '' : ` (${id})`}: ${reason}`,
    ),
  ]),
  ...warnings.map((warning) => `  warning: ${warning}`),
  ...(error === null ? [] : [`  reading ended there: ${error}`]),
]

const describeOrigin = ({ preset, map }: FilePreview, given: readonly Mapping[]): string => {
  const origin = preset === null ? 'guessed by the names and values of columns' : `of the schema ${preset}`
  if (Object.keys(map).length === 0) return 'field map: no column was recognized'
  if (Object.keys(map).length === given.length) return 'field map, as given'
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
