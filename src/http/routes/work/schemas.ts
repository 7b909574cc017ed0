import { Type } from '@sinclair/typebox'
import type { WorkKind } from '../../../../drizzle/queries/work/kinds/work-kind'
import { WORK_KINDS } from '../../../../drizzle/queries/work/work-kinds'
import { JOB_STATUSES } from '../../../../drizzle/schema/values'
import {
  at,
  atOrNull,
  closed,
  countOf,
  countOrNull,
  idOf,
  oneOf,
  textOf,
  textOrNull,
  WHO,
  waitFields,
} from '../../schemas'

const KINDS = Object.values<WorkKind>(WORK_KINDS)

export const KIND = {
  description: `A kind of work: ${KINDS.map(({ name }) => `\`${name}\``).join(', ')}.`,
  examples: ['crawl'],
}
export const workKind = oneOf(
  KINDS.map(({ name }) => name),
  KIND,
)
export const STATUS = { description: 'The status. `done` and `error` are final.', examples: ['running'] }

export const work = Type.Object(
  {
    id: idOf('work'),
    kind: textOf(KIND.description, 'crawl'),
    subject: textOrNull('The source, layer or index to work on.', 'sample-county'),
    source: textOrNull('The source that the work belongs to, if any.', 'sample-county'),
    status: oneOf(JOB_STATUSES, STATUS),
    requested_by: textOrNull(
      `Who requested it: ${WHO}; null if it was due or was started on the command line.`,
      'pk_1a2b3',
    ),
    attempts: countOf('How many times a process has started it.', 1),
    done: countOf('Progress: records of a crawl, parcels of a tile build, documents of a rebuild.', 1_200),
    total: countOrNull('Expected final value of `done`; null if it is not known.', 2_400),
    payload: Type.Union(
      KINDS.map(({ payload }) => payload),
      {
        description: 'What was requested. Its members depend on the kind.',
        examples: [
          { base_url: 'https://gis.example.org/parcels/MapServer/0', vendor_config: { columns: { parcel_id: 'PIN' } } },
        ],
      },
    ),
    result: Type.Union(
      KINDS.map(({ result }) => result),
      {
        description: 'The result so far. Its members depend on the kind.',
        examples: [{ pages: 12, inserted: 1_100, updated: 60, unchanged: 40, rejected: 0 }],
      },
    ),
    error_code: textOrNull(
      'Error code of the last failed attempt: `throttled`, `worker_lost`, `cancelled` ...',
      'throttled',
    ),
    error_message: textOrNull('Error message of the last failed attempt.', 'the portal returned status 503'),
    created_at: at('When it was requested.'),
    started_at: atOrNull('When it started; null if it has not started.'),
    finished_at: atOrNull('When it ended; null if it has not ended.'),
    ...waitFields,
  },
  {
    ...closed,
    component: 'Work',
    description: 'Long-running work, such as a crawl, a load of a file, an export or a tile build.',
  },
)

export const workKey = Type.Object({
  id: Type.String({ description: 'A work id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})
