import { Type } from '@sinclair/typebox'
import { CAUSES } from '../../../schema/values'
import { closed, count, type WorkKind } from './work-kind'

/** Work on a load: loading it, applying it after it was held, or undoing it. The subject is the source. */
export const load = {
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
