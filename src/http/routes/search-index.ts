import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { readSearchIndex, type SearchWork } from '../../../drizzle/queries/search-index-work'
import { ServiceError } from '../../service-error'
import { workOnSearchIndex } from '../../services/work-on-search-index'
import { authorization } from '../auth'
import type { Deps } from '../deps'
import { errorBody } from '../errors'
import { idempotency } from '../idempotency'
import { jsonResponse } from '../json'
import { namedFor } from '../named-for'
import { requesterOf } from '../requester-of'
import { closed, keyedErrors, nullable, oneOf, timestamp, WHO } from '../schemas'

const count = Type.Integer({ minimum: 0 })
const momentOrNull = Type.Union([timestamp, Type.Null()])

const work = {
  running: Type.Boolean(),
  state: oneOf(['requested', 'running', 'done', 'failed'], { examples: ['done'] }),
  requested_by: nullable(
    Type.String({
      description: `Who asked for it: ${WHO}; null when it was due, or done on the command line.`,
      examples: ['pk_1a2b3'],
    }),
  ),
  requested_at: momentOrNull,
  started_at: momentOrNull,
  finished_at: momentOrNull,
  error: nullable(Type.String()),
}

const searchIndex = Type.Object(
  {
    documents: Type.Union([count, Type.Null()], {
      description: 'What the index has; null where there is none, or while Meilisearch is away.',
    }),
    outbox_depth: Type.Integer({ minimum: 0, description: 'Changes that the index has yet to learn of.' }),
    outbox_age_seconds: Type.Number({ minimum: 0, description: 'Age of the oldest of them; 0 when it knows all.' }),
    drift: Type.Union(
      [
        Type.Object(
          {
            checked_at: timestamp,
            missing: Type.Integer({ minimum: 0, description: 'Documents that the index lacked.' }),
            extra: Type.Integer({ minimum: 0, description: 'Documents that it had to no row.' }),
            different: Type.Integer({ minimum: 0, description: 'Documents that were not as their rows.' }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'What the last comparison found and put up for sending; null before the first.' },
    ),
    check: Type.Union([Type.Object(work, closed), Type.Null()], {
      description: 'The last comparison, or the one that runs.',
    }),
    rebuild: Type.Union([Type.Object({ ...work, done: count, total: count }, closed), Type.Null()], {
      description: 'The last rebuild, or the one that runs, and how many documents it has sent of how many.',
    }),
  },
  closed,
)

const accepted = Type.Object(
  {
    work: Type.Union([Type.Literal('check'), Type.Literal('rebuild')]),
    state: Type.Literal('requested'),
  },
  closed,
)

export const searchIndexRoutes = ({ sql, authenticator, countDocuments }: Deps) => {
  /** @throws ServiceError `search_unavailable` where there is no index */
  const request = async (kind: SearchWork, requestedBy: string): Promise<Response> => {
    if (countDocuments === null) {
      throw new ServiceError('search_unavailable', 'there is no search index here: searches are answered without one')
    }
    await workOnSearchIndex(sql, kind, requestedBy)
    return jsonResponse(JSON.stringify({ work: kind, state: 'requested' }), { status: 202 })
  }
  const response = { 202: accepted, 409: errorBody, ...keyedErrors }

  return new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
      '/admin/search-index',
      async ({ request: caller }) => {
        const documents = countDocuments === null ? null : await countDocuments()
        return jsonResponse(await namedFor(sql, caller, await readSearchIndex(sql, documents)))
      },
      {
        needs: 'admin',
        response: { 200: searchIndex, ...keyedErrors },
        detail: {
          tags: ['search'],
          summary: 'How far the search index is behind, and its last check and rebuild',
          operationId: 'getSearchIndex',
        },
      },
    )
    .post('/admin/search-index/check', ({ request: caller }) => request('check', requesterOf(caller).name), {
      needs: 'admin',
      idempotent: true,
      response,
      detail: {
        tags: ['search'],
        summary: 'Compare the search index with the database now',
        description:
          'What differs is sent again. The sync role does it, wherever it runs; `/v1/events` tells when it has ended. 409: one runs, or is asked for already.',
        operationId: 'checkSearchIndex',
      },
    })
    .post('/admin/search-index/rebuild', ({ request: caller }) => request('rebuild', requesterOf(caller).name), {
      needs: 'admin',
      idempotent: true,
      response,
      detail: {
        tags: ['search'],
        summary: 'Build the search index anew',
        description:
          'Beside the one that answers meanwhile. The sync role does it, wherever it runs; `/v1/events` tells how far it is. 409: one runs, or is asked for already.',
        operationId: 'rebuildSearchIndex',
      },
    })
}
