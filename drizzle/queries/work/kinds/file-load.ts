import { Type } from '@sinclair/typebox'
import { closed, count, type WorkKind } from './work-kind'

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
export const ingest = {
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
export const preview = {
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
