import { Type } from '@sinclair/typebox'
import { JOB_STATUSES } from '../../../../drizzle/schema/scrape-jobs'
import { at, atOrNull, closed, countOf, countOrNull, idOf, oneOf, textOf, textOrNull, WHO } from '../../schemas'

export const KIND = {
  description: 'A kind of work: `crawl`, `tile_build`, `search_check`, `search_rebuild`.',
  examples: ['crawl'],
}
export const STATUS = { description: 'The status. `done` and `error` are final.', examples: ['running'] }

export const work = Type.Object(
  {
    id: idOf('work'),
    kind: textOf(KIND.description, 'crawl'),
    subject: textOrNull('What the work is done to: a source, a layer, the search index.', 'sample-county'),
    source: textOrNull('The source it belongs to; null when it belongs to none.', 'sample-county'),
    status: oneOf(JOB_STATUSES, STATUS),
    requested_by: textOrNull(`Who ordered it: ${WHO}; null when it was due.`, 'pk_1a2b3'),
    attempts: countOf('How many times it was begun.', 1),
    done: countOf('Progress: records of a crawl, parcels of a tile build, documents of a rebuild.', 1_200),
    total: countOrNull('How many there are; null when that is not known.', 2_400),
    result: Type.Record(Type.String(), Type.Any(), {
      description: 'What it has brought so far. The members depend on the kind.',
      examples: [{ pages: 12, inserted: 1_100, updated: 60, unchanged: 40, rejected: 0 }],
    }),
    error_code: textOrNull('Why the last try failed: `throttled`, `worker_lost`, `cancelled` ...', 'throttled'),
    error_message: textOrNull('The same in words.', 'the portal returned status 503'),
    created_at: at('When it was ordered.'),
    started_at: atOrNull('When it began; null: it has not.'),
    finished_at: atOrNull('When it ended; null: it has not.'),
    waits_until: atOrNull('When it goes on after a failed try; null when it does not wait for that.'),
  },
  {
    ...closed,
    component: 'Work',
    description: 'Long work: a crawl, a tile build, a check or rebuild of the search index.',
  },
)

export const workKey = Type.Object({
  id: Type.String({ description: 'A work id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})
