import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findWork, listWork } from '../../../drizzle/queries/work/list-work'
import { JOB_STATUSES } from '../../../drizzle/schema/scrape-jobs'
import { cancelWork } from '../../orders/cancel-work'
import { isUuid } from '../../parcels/is-uuid'
import { authorization, principalOf } from '../callers/auth'
import { namedFor } from '../callers/named-for'
import { HttpError } from '../convention/errors'
import { jsonResponse, pageJson } from '../convention/json'
import type { Deps } from '../deps'
import {
  after,
  at,
  atOrNull,
  closed,
  count,
  countOf,
  countOrNull,
  idOf,
  keyedErrors,
  limit,
  next,
  notFound,
  oneOf,
  query,
  sourceSlug,
  textOf,
  textOrNull,
  WHO,
} from '../schemas'

const KIND = {
  description: 'A kind of work: `crawl`, `tile_build`, `search_check`, `search_rebuild`.',
  examples: ['crawl'],
}
const STATUS = { description: 'The status. `done` and `error` are final.', examples: ['running'] }

const work = Type.Object(
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

const workKey = Type.Object({
  id: Type.String({ description: 'A work id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})

/** Long work of every kind. Routes of one kind are those of crawls, tile builds and the search index. */
export const workRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/work',
      async ({ query: { kind, status, source, limit = 100, after = null }, request }) => {
        if (after !== null && !isUuid(after)) throw new HttpError(400, 'after must be the id of work')
        const list = (atMost: number) => listWork(sql, { kind, status, source }, { after, limit: atMost })
        return jsonResponse(await namedFor(sql, request, await pageJson('work', limit, list, ({ id }) => id)))
      },
      {
        needs: 'admin',
        query: query({
          kind: Type.Optional(Type.String({ ...KIND, maxLength: 100 })),
          status: Type.Optional(oneOf(JOB_STATUSES, STATUS)),
          source: Type.Optional(sourceSlug),
          limit: limit(500, 100),
          after,
        }),
        response: {
          200: Type.Object({ count, work: Type.Array(work, { description: 'Newest first.' }), next }),
          ...keyedErrors,
        },
        detail: {
          tags: ['work'],
          summary: 'Long work of every kind, newest first',
          description:
            'Crawls, tile builds, checks and rebuilds of the search index. Work that ended is kept for 30 days. `/v1/events?types=work` tells each step.',
          operationId: 'listWork',
        },
      },
    )
    .get(
      '/work/:id',
      async ({ params: { id }, request }) => {
        const body = isUuid(id) ? await findWork(sql, id) : null
        if (body === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, body))
      },
      {
        needs: 'admin',
        params: workKey,
        response: { 200: work, ...keyedErrors, ...notFound },
        detail: {
          tags: ['work'],
          summary: 'One piece of long work',
          description: 'Of any kind.',
          operationId: 'getWork',
        },
      },
    )
    .delete(
      '/work/:id',
      async ({ params: { id }, request }) =>
        jsonResponse(await namedFor(sql, request, await cancelWork(sql, id, principalOf(request).actor))),
      {
        needs: 'admin',
        params: workKey,
        response: { 200: work, ...keyedErrors, ...notFound },
        detail: {
          tags: ['work'],
          summary: 'Cancel queued or running work',
          description: 'What it has stored stays. Running work stops within seconds. 404 for work that has ended.',
          operationId: 'cancelWork',
        },
      },
    )
