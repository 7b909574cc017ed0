import { Type } from '@sinclair/typebox'
import { licensedSources } from '../../../../drizzle/queries/work/kinds/parcel-export'
import { JOB_STATUSES } from '../../../../drizzle/schema/values'
import { EXPORT_FIELDS } from '../../../exports/export-columns'
import { FORMAT_NAMES, FORMATS, type FormatName } from '../../../exports/formats'
import { GEOMETRIES } from '../../../parcels/list-parcels'
import { filterBody } from '../../convention/parameters/filter-body'
import { parcelFilterFields } from '../../convention/parameters/parcel-filter'
import { bbox } from '../../convention/parameters/parse-bbox'
import { at, atOrNull, closed, countOf, countOrNull, idOf, oneOf, textOrNull } from '../../schemas'

export const filter = filterBody(
  { ...parcelFilterFields, bbox },
  {
    component: 'ExportFilter',
    description:
      'Which parcels: the parameters of `GET /v1/parcels`. All conditions must hold. Empty or omitted: all parcels.',
    examples: [{ source: 'sample-county', min_acres: 5 }],
  },
)

/** The content of responses that are files of these formats. */
export const contentOf = (formats: readonly FormatName[]) =>
  Object.fromEntries(
    [...formats.map((name) => FORMATS[name].mediaType.split(';')[0]), 'application/gzip'].map((type) => [
      type,
      { schema: { type: 'string' as const, format: 'binary' } },
    ]),
  )

export const STREAMED = FORMAT_NAMES.filter((name) => FORMATS[name].isStreamable)

export const format = oneOf(FORMAT_NAMES, {
  description:
    '`geojsonseq`: GeoJSON text sequence (RFC 8142). `geoparquet`: GeoParquet 1.1 with zstd and rows in Hilbert order. `csv` has boundaries as well-known text, and lists separated by semicolons.',
  examples: ['geoparquet'],
})
export const gzip = Type.Boolean({
  description: 'Compresses a text format with gzip. Not allowed for binary formats.',
  byDefault: false,
  examples: [false],
})
export const fields = Type.Array(Type.String({ examples: ['owner_name'] }), {
  maxItems: 100,
  description: `The fields of each parcel, in addition to \`id\`, \`source\` and \`source_parcel_id\`: ${EXPORT_FIELDS.join(', ')}. Omitted: all except \`accounts\`. Accounts are a JSON array in every format.`,
  examples: [['owner_name', 'assessed_value']],
})
export const geometry = oneOf(GEOMETRIES, {
  description:
    'The boundary. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors.',
  byDefault: 'full',
  examples: ['full'],
})
export const delivery = oneOf(['file', 'stream'], {
  description: `\`file\`: the export is queued, and its file is kept for 7 days. \`stream\`: the response is the file, for at most 100,000 parcels as ${STREAMED.join(', ')}.`,
  byDefault: 'file',
  examples: ['file'],
})

export const parcelExport = Type.Object(
  {
    id: idOf('export'),
    status: oneOf(JOB_STATUSES, { description: '`done` and `error` are final.', examples: ['done'] }),
    format,
    gzip,
    fields,
    geometry,
    filter,
    relation: textOrNull('How `within` was compared; null if there was none.', 'intersects'),
    area_bbox: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
      description: 'Bounding box of the area of `within`: west, south, east, north. Null: everywhere.',
      examples: [[-120.5511, 43.8662, -120.5458, 43.872]],
    }),
    rows: countOf('Parcels written so far.', 5_000),
    total: countOrNull('Parcels to write; null until they are counted.', 5_000),
    created_at: at('When it was requested.'),
    started_at: atOrNull('When it started; null if it has not started.'),
    finished_at: atOrNull('When it ended; null if it has not ended.'),
    expires_at: atOrNull('When its file is removed; null if there is no file.'),
    size_bytes: countOrNull('Size of the file; null if there is no file.', 2_145_880),
    dataset_version: countOrNull('The file has every change up to this version; null if there is no file.', 70_412),
    licenses: Type.Union([licensedSources, Type.Null()], {
      description: 'What the sources require from users of their data; null if there is no file.',
      examples: licensedSources.examples as unknown[],
    }),
    error_code: textOrNull('Error code: `cancelled`, `worker_lost`, `exports_full` ...', 'cancelled'),
    error_message: textOrNull('Error message.', 'cancelled by pk_1a2b3'),
    download_url: textOrNull(
      'URL of the file, which needs no key. Get the export again for a new URL. Null if there is no file.',
      'https://parcels.example/v1/exports/019b76da-8c00-7000-8000-000000000001/file?expires=1770000000&signature=5f2a',
    ),
    download_expires_at: atOrNull('When this URL expires: after a day, or with the file.'),
  },
  { ...closed, component: 'Export', description: 'An export of parcels to a file.' },
)

export const exportKey = Type.Object({
  id: Type.String({ description: 'An export id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})
