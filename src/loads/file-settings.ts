import { type Static, Type } from '@sinclair/typebox'
import { type ParcelFieldName, parcelFields } from '../../core/parcels/fields'
import { findProblems } from '../../core/schema/schema-problem'
import { ServiceError } from '../../core/service-error'
import { parseFieldMap } from '../ingest/fields/field-map'
import { PARCEL_FIELDS } from '../ingest/fields/fields'
import { FORMAT_NAMES, type FormatName } from '../ingest/formats/format-names'
import { DUPLICATES, type ReadingOptions, SUMMABLE_FIELDS } from '../ingest/reading-options'

const MAX_EXPRESSION_CHARACTERS = 500

const oneOf = <const Words extends readonly string[]>(words: Words, description: string, example: Words[number]) =>
  Type.Optional(
    Type.Unsafe<Words[number]>(
      Type.Union(
        words.map((word) => Type.Literal(word)),
        { description, examples: [example] },
      ),
    ),
  )

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: [example] }))

const expression = (what: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_EXPRESSION_CHARACTERS,
      description: `${what} A column of the file, or an expression of columns.`,
      examples: [example],
    }),
  )

/** How a file of parcels is read: the `vendor_config` of a source with the vendor `file`. */
export const fileSettings = Type.Object(
  {
    map: Type.Optional(
      Type.Object(
        {
          source_parcel_id: expression('Id of the parcel.', 'PARCELID'),
          ...Object.fromEntries(
            parcelFields.map((field) => {
              const layer = 'layerColumn' in field ? field.layerColumn : undefined
              return [field.name, expression(field.description, layer?.example ?? field.name.toUpperCase())]
            }),
          ),
        },
        {
          additionalProperties: false,
          description: 'The column of each field. A field that is left out is read from the column of the same name.',
          examples: [{ source_parcel_id: 'PARCELID', situs_address: "HouseNo+' '+Street" }],
        },
      ),
    ),
    complete: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the file lists all parcels of the source. If so, a load retires the parcels that it lacks.',
        examples: [true],
      }),
    ),
    duplicates: oneOf(
      DUPLICATES,
      'Rows with the same id: `reject` all but the first (the default), `number` them, or `merge` them as parts of one parcel.',
      'merge',
    ),
    sum: Type.Optional(
      Type.Array(Type.Unsafe<ParcelFieldName>(Type.Union(SUMMABLE_FIELDS.map((name) => Type.Literal(name)))), {
        description: `With \`merge\`: the fields that are added up, of ${SUMMABLE_FIELDS.join(', ')}.`,
        examples: [['acreage']],
      }),
    ),
    broken_geometry: oneOf(
      ['reject', 'leave-out'],
      'A row with a broken boundary: `reject` it (the default), or load it without the boundary (`leave-out`).',
      'leave-out',
    ),
    crs: text('The coordinate system, if the file does not say it or says a wrong one.', 'EPSG:2913'),
    format: oneOf(FORMAT_NAMES, 'The format. Default: by the content of the file.', 'shapefile'),
    encoding: text('The text encoding. Default: by the content of the file.', 'windows-1252'),
    layer: text('The layer, table or file in an archive, if there are several.', 'Parcels'),
    boundary_column: text('The column with the boundaries of a CSV, as WKT or GeoJSON.', 'WKT'),
  },
  { additionalProperties: false },
)

export type FileSettings = Static<typeof fileSettings>

/**
 * Checks settings. `path` is their name in messages.
 *
 * @throws ServiceError `bad_input` naming each wrong field on its own line
 */
export const checkFileSettings = (settings: unknown, path: string): FileSettings => {
  const problems = [...findProblems(fileSettings, settings, path)]
  if (problems.length > 0) throw new ServiceError('bad_input', problems.join('\n'))
  const checked = settings as FileSettings
  try {
    mapOf(checked)
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError('bad_input', `${path}.map: ${error.message}`)
    throw error
  }
  if (checked.sum !== undefined && checked.duplicates !== 'merge')
    throw new ServiceError('bad_input', `${path}.sum needs duplicates: merge`)
  return checked
}

const mapOf = ({ map = {} }: FileSettings) => parseFieldMap(JSON.stringify(map), PARCEL_FIELDS)

/** The settings in the form that the file reader takes. */
export const toReadingOptions = (settings: FileSettings): Omit<ReadingOptions, 'file'> => ({
  map: mapOf(settings),
  format: (settings.format as FormatName | undefined) ?? null,
  encoding: settings.encoding ?? null,
  layer: settings.layer ?? null,
  duplicates: settings.duplicates ?? 'reject',
  sum: settings.sum ?? [],
  brokenGeometry: settings.broken_geometry ?? 'reject',
  boundaryColumn: settings.boundary_column ?? null,
  crs: settings.crs ?? null,
})

/** Whether parcels that the file lacks are retired. */
export const isComplete = ({ complete = true }: FileSettings): boolean => complete
