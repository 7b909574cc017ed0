import { Type } from '@sinclair/typebox'
import { closed, count, type WorkKind } from './work-kind'

/** The license and attribution of the sources of an export. */
export const licensedSources = Type.Array(
  Type.Object(
    {
      license: Type.Union([Type.String(), Type.Null()], {
        description: 'The license; null if unknown.',
        examples: ['CC-BY-4.0'],
      }),
      attribution: Type.Union([Type.String(), Type.Null()], {
        description: 'Whom to credit; null if unknown.',
        examples: ['Larkspur County Assessor'],
      }),
      sources: Type.Array(Type.String({ examples: ['sample-county'] }), { description: 'The sources.' }),
    },
    { ...closed, component: 'LicensedSources', description: 'Sources with the same license and attribution.' },
  ),
  {
    description: 'The sources, grouped by license and attribution.',
    examples: [[{ license: 'CC-BY-4.0', attribution: 'Larkspur County Assessor', sources: ['sample-county'] }]],
  },
)

/** An export of parcels to a file. The ordering key is its caller, so that a caller's exports run one after the other. */
export const parcelExport = {
  name: 'export',
  payload: Type.Object(
    {
      format: Type.String({ description: 'The format of the file.', examples: ['geoparquet'] }),
      gzip: Type.Boolean({ description: 'Whether the file is compressed with gzip.', examples: [false] }),
      fields: Type.Array(Type.String({ examples: ['owner_name'] }), { description: 'The fields of each parcel.' }),
      geometry: Type.String({ description: '`full`, `simplified` or `none`.', examples: ['full'] }),
      filter: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Which parcels, as requested.',
        examples: [{ source: 'sample-county' }],
      }),
      parcel_filter: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The same, as the service reads it.',
        examples: [{ source: 'sample-county', lifecycle: 'listed' }],
      }),
      place: Type.Optional(
        Type.Object(
          {
            area: Type.Optional(
              Type.Unknown({ description: 'The area as GeoJSON. Responses leave it out, because it can be large.' }),
            ),
            bbox: Type.Array(Type.Number(), {
              description: 'Its bounding box: west, south, east, north.',
              examples: [[-120.56, 43.86, -120.54, 43.88]],
            }),
            relation: Type.String({ description: '`intersects` or `within`.', examples: ['intersects'] }),
          },
          { ...closed, description: 'Only parcels in this area.' },
        ),
      ),
    },
    { ...closed, title: 'export', description: 'Which parcels are exported, and how.' },
  ),
  result: Type.Partial(
    Type.Object({
      file: Type.String({
        description: 'Name of the file in the store.',
        examples: ['019b76da-8c00-7000-8000-000000000001-1.parquet'],
      }),
      media_type: Type.String({ description: 'Its media type.', examples: ['application/vnd.apache.parquet'] }),
      size_bytes: count('Size of the file.', 2_145_880),
      sha256: Type.String({ description: 'SHA-256 of the file, in hex.', examples: ['5f2a'.repeat(16)] }),
      dataset_version: count('The file has every change up to this version.', 70_412),
      licenses: licensedSources,
    }),
    { ...closed, title: 'export' },
  ),
} satisfies WorkKind
