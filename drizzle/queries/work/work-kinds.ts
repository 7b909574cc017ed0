import { type TObject, Type } from '@sinclair/typebox'
import { CAUSES } from '../../schema/values'

/** The definition of one kind of work, besides its runner. */
export interface WorkKind<Payload extends TObject = TObject> {
  name: string
  /** The schema of the payload. `orderWork` rejects any other. */
  payload: Payload
  /** The schema of the result. Members appear as the work progresses. */
  result: TObject
}

const closed = { additionalProperties: false } as const
const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

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

/** A scrape of a whole layer, page by page. The subject is the source. */
const crawl = {
  name: 'crawl',
  payload: Type.Object(
    {
      base_url: Type.String({
        description: "The portal's URL when the crawl was requested.",
        examples: ['https://gis.example.org/parcels/MapServer/0'],
      }),
      vendor_config: Type.Record(Type.String(), Type.Unknown(), {
        description: "The vendor's settings for the county when the crawl was ordered.",
        examples: [{ columns: { parcel_id: 'PIN' } }],
      }),
    },
    { ...closed, title: 'crawl', description: 'The source as it was when the crawl was requested.' },
  ),
  result: Type.Object(
    {
      pages: count('Pages read.', 12),
      inserted: count('New parcels.', 1_100),
      updated: count('Parcels that changed.', 60),
      unchanged: count('Parcels that did not change.', 40),
      rejected: count('Records that were rejected.', 3),
    },
    { ...closed, title: 'crawl' },
  ),
} satisfies WorkKind

/** An archive of map tiles. The subject is the layer. */
const tileBuild = {
  name: 'tile_build',
  payload: Type.Partial(
    Type.Object({
      filter: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Which parcels, by the parameters of `GET /v1/parcels`. Missing: all.',
        examples: [{ land_use: 'RESIDENTIAL', min_value: 250_000 }],
      }),
      parcel_filter: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The same, as the service reads it.',
        examples: [{ landUse: 'RESIDENTIAL', lifecycle: 'listed' }],
      }),
    }),
    { ...closed, title: 'tile_build', description: 'Which parcels are drawn.' },
  ),
  result: Type.Partial(
    Type.Object({
      share: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'How far the build is, from 0 to 1.',
        examples: [0.5],
      }),
      tiles: count('Tiles made so far.', 320),
      hash: Type.String({ description: 'Names the archive.', examples: ['0123456789abcdef'] }),
      is_new: Type.Boolean({ description: 'False: the published archive was already the same.', examples: [true] }),
    }),
    { ...closed, title: 'tile_build' },
  ),
} satisfies WorkKind

/** A comparison of the search index with the database, which repairs differences. */
const searchCheck = {
  name: 'search_check',
  payload: Type.Object({}, { ...closed, title: 'search_check' }),
  result: Type.Partial(
    Type.Object({
      missing: count('Documents that the index lacked.', 2),
      extra: count('Documents without a row.', 1),
      different: count('Documents that differed from their rows.', 4),
    }),
    { ...closed, title: 'search_check' },
  ),
} satisfies WorkKind

/** New search indexes beside the live ones, which they then replace. */
const searchRebuild = {
  name: 'search_rebuild',
  payload: Type.Object({}, { ...closed, title: 'search_rebuild' }),
  result: Type.Object({}, { ...closed, title: 'search_rebuild' }),
} satisfies WorkKind

/** Requests to one receiver of webhooks. The subject is the receiver's origin. */
const webhooks = {
  name: 'webhooks',
  payload: Type.Object({}, { ...closed, title: 'webhooks' }),
  result: Type.Partial(
    Type.Object({
      delivered: count('Requests that the receiver accepted.', 40),
      failed: count('Requests that failed. They are repeated later.', 2),
    }),
    { ...closed, title: 'webhooks' },
  ),
} satisfies WorkKind

/** Work on a load: loading it, applying it after it was held, or undoing it. The subject is the source. */
const load = {
  name: 'load',
  payload: Type.Object(
    {
      action: Type.Union([Type.Literal('ingest'), Type.Literal('apply'), Type.Literal('undo')], {
        description: '`ingest`: a file is read, compared and applied.',
        examples: ['undo'],
      }),
      cause_id: Type.String({
        description: 'The load. An undo can also be of a crawl, a scrape job, a replay or another undo.',
        examples: ['019b76da-8c00-7000-8000-000000000001'],
      }),
      cause: Type.Optional(
        Type.Union([...CAUSES.map((cause) => Type.Literal(cause)), Type.Null()], {
          description: 'Of an undo: what `cause_id` is. Missing in older work; null if it is not known.',
          examples: ['ingest'],
        }),
      ),
    },
    { ...closed, title: 'load' },
  ),
  result: Type.Partial(
    Type.Object({
      status: Type.String({ description: 'The status of the load.', examples: ['applied'] }),
      restored: count('Undo: parcels that have their former values again.', 3_000),
      retired: count('Undo: parcels that it retired, because the load had created them.', 12),
      kept: count('Undo: parcels with a field that was changed again later. These fields were left.', 1),
      kept_first: Type.Array(
        Type.Object(
          {
            source_parcel_id: Type.String({ description: 'The parcel.', examples: ['12-0345-0670'] }),
            fields: Type.Array(Type.String({ description: 'A field.', examples: ['owner_name'] }), {
              description: 'The fields that were left. `created`: the whole parcel was left.',
              examples: [['owner_name']],
            }),
          },
          closed,
        ),
        {
          description: 'Undo: the first 100 of `kept`.',
          examples: [[{ source_parcel_id: '12-0345-0670', fields: ['owner_name'] }]],
        },
      ),
    }),
    { ...closed, title: 'load' },
  ),
} satisfies WorkKind

/** Where a file is, and how it is read. */
const filePayload = {
  file_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The uploaded file; null: it is at `address`.',
    examples: ['019b76da-8c00-7000-8000-000000000001'],
  }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'The https URL of the file; null: it was uploaded.',
    examples: ['https://county.example/parcels.zip'],
  }),
  settings: Type.Record(Type.String(), Type.Unknown(), {
    description: 'How it is read, as in `vendor_config` of a source with the vendor `file`.',
    examples: [{ map: { source_parcel_id: 'PIN' } }],
  }),
}

const fileStep = Type.String({ description: '`fetching`, then `reading`.', examples: ['reading'] })

/** A file that is fetched and loaded. The subject is the source. The load itself is work of the kind `load`. Progress is in bytes. */
const ingest = {
  name: 'ingest',
  payload: Type.Object(
    {
      ...filePayload,
      as_of: Type.Union([Type.String(), Type.Null()], {
        description: 'The date of the data.',
        examples: ['2026-01-31'],
      }),
      is_due: Type.Boolean({
        description: 'Whether the schedule requested it. If so, a file that has not changed is not loaded again.',
        examples: [true],
      }),
    },
    { ...closed, title: 'ingest', description: 'The file, and how it is read.' },
  ),
  result: Type.Partial(
    Type.Object({
      step: fileStep,
      status: Type.String({
        description: 'The status of the load, or `unchanged`: the file is the one that was loaded last.',
        examples: ['applied'],
      }),
      load_id: Type.String({ description: 'The load.', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
      rows: count('Rows read.', 2_400),
      rejected: count('Rows rejected.', 3),
      inserted: count('New parcels.', 12),
      updated: count('Parcels that changed, or returned.', 240),
      unchanged: count('Parcels that did not change.', 2_145),
      retired: count('Parcels that were retired.', 8),
      rejects: Type.Array(
        Type.Object(
          {
            count: count('Rows.', 3),
            examples: Type.Array(
              Type.Object(
                {
                  place: Type.String({ description: 'Where the row is.', examples: ['line 7'] }),
                  id: Type.String({ description: 'Its id, if it has one.', examples: ['12-0345-0670'] }),
                  reason: Type.String({
                    description: 'Why it was rejected.',
                    examples: ['geometry is a Point'],
                  }),
                },
                closed,
              ),
              {
                description: 'Some of them.',
                examples: [[{ place: 'line 7', id: '12-0345-0670', reason: 'geometry is a Point' }]],
              },
            ),
          },
          closed,
        ),
        {
          description: 'Why rows were rejected, the most frequent reason first.',
          examples: [
            [{ count: 3, examples: [{ place: 'line 7', id: '12-0345-0670', reason: 'geometry is a Point' }] }],
          ],
        },
      ),
      warnings: Type.Array(Type.String({ examples: ['rows without a boundary: 3'] }), {
        description: 'What to check.',
      }),
      notes: Type.Array(Type.String({ examples: ['coordinates: EPSG:2913'] }), { description: 'How it was read.' }),
    }),
    { ...closed, title: 'ingest' },
  ),
} satisfies WorkKind

/** A preview of a file before it is loaded. Only the result is stored. */
const preview = {
  name: 'preview',
  payload: Type.Object(filePayload, { ...closed, title: 'preview', description: 'The file, and how it is read.' }),
  result: Type.Partial(
    Type.Object({
      step: fileStep,
      preview: Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The format, columns with samples, the field map (given or guessed), the first parcels, and why rows would be rejected.',
        examples: [{ format: 'csv', map: { source_parcel_id: 'PIN' } }],
      }),
    }),
    { ...closed, title: 'preview' },
  ),
} satisfies WorkKind

/** An export of parcels to a file. The ordering key is its caller, so that a caller's exports run one after the other. */
const parcelExport = {
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

/** Rows of a list by their outcome. */
export const matchCounts = Type.Object(
  {
    matched: count('Rows with one parcel.', 2_101),
    tie: count('Rows with several parcels that match equally well.', 120),
    no_match: count('Rows without a parcel.', 80),
    invalid: count('Rows that could not be read.', 4),
  },
  { ...closed, component: 'MatchCounts', description: 'Rows of a list by their outcome.' },
)

/** A comparison of a list with the parcels. `drizzle/schema/service/matches.ts` stores the list and the options. */
const match = {
  name: 'match',
  payload: Type.Object({}, { ...closed, title: 'match' }),
  result: Type.Partial(
    Type.Object({
      rows: count('Rows of the list.', 2_305),
      counts: matchCounts,
    }),
    { ...closed, title: 'match' },
  ),
} satisfies WorkKind

/** Every kind of work. `/v1/work` and the OpenAPI document show the schemas. A new kind is added here. */
export const WORK_KINDS = {
  crawl,
  load,
  ingest,
  preview,
  tileBuild,
  searchCheck,
  searchRebuild,
  webhooks,
  parcelExport,
  match,
}
