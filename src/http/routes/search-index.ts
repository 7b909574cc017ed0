import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Db } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { readSearchIndex, type SearchWork } from '../../../drizzle/queries/search/search-index-work'
import { workOnSearchIndex } from '../../orders/work-on-search-index'
import { authorization } from '../callers/auth'
import { namedFor } from '../callers/named-for'
import { requesterOf } from '../callers/requester-of'
import { errorBody } from '../convention/errors'
import { idempotency } from '../convention/idempotency'
import { jsonResponse } from '../convention/json'
import type { Deps } from '../deps'
import { at, atOrNull, closed, countOf, countOrNull, keyedErrors, oneOf, textOrNull, WHO } from '../schemas'

const work = {
  running: Type.Boolean({ description: 'Whether it runs.', examples: [false] }),
  state: oneOf(['requested', 'running', 'done', 'failed'], { description: 'How far it is.', examples: ['done'] }),
  requested_by: textOrNull(`Who asked for it: ${WHO}; null when it was due, or done on the command line.`, 'pk_1a2b3'),
  requested_at: atOrNull('When it was asked for.'),
  started_at: atOrNull('When it began.'),
  finished_at: atOrNull('When it ended.'),
  error: textOrNull('Why it failed.', 'Meilisearch did not answer'),
}

const searchIndex = Type.Object(
  {
    documents: countOrNull('What the index has; null where there is none, or while Meilisearch is away.', 5_300),
    outbox_depth: countOf('Changes that the index has yet to learn of.', 0),
    outbox_age_seconds: Type.Number({
      minimum: 0,
      description: 'Age of the oldest of them; 0 when it knows all.',
      examples: [0],
    }),
    drift: Type.Union(
      [
        Type.Object(
          {
            checked_at: at('When they were compared.'),
            missing: countOf('Documents that the index lacked.', 0),
            extra: countOf('Documents that it had to no row.', 0),
            different: countOf('Documents that were not as their rows.', 0),
          },
          { ...closed, component: 'SearchIndexDrift', description: 'How index and database differed.' },
        ),
        Type.Null(),
      ],
      { description: 'What the last comparison found and put up for sending; null before the first.' },
    ),
    check: Type.Union(
      [
        Type.Object(work, { ...closed, component: 'SearchIndexWork', description: 'A check of the search index.' }),
        Type.Null(),
      ],
      { description: 'The last comparison, or the one that runs; null before the first.' },
    ),
    rebuild: Type.Union(
      [
        Type.Object(
          {
            ...work,
            done: countOf('Documents that it has sent.', 5_300),
            total: countOf('Documents that it has to send.', 5_300),
          },
          { ...closed, component: 'SearchIndexRebuild', description: 'A rebuild of the search index.' },
        ),
        Type.Null(),
      ],
      { description: 'The last rebuild, or the one that runs; null before the first.' },
    ),
  },
  { ...closed, component: 'SearchIndex', description: 'How the search index stands.' },
)

const accepted = Type.Object(
  {
    work: Type.Union([Type.Literal('check'), Type.Literal('rebuild')], {
      description: 'What will be done.',
      examples: ['check'],
    }),
    state: Type.Literal('requested', { description: 'It has not begun.' }),
  },
  { ...closed, component: 'SearchIndexRequest', description: 'Work on the search index that was asked for.' },
)

export const searchIndexRoutes = ({ sql, authenticator, countDocuments }: Deps) => {
  /** @throws ServiceError `search_unavailable` where there is no index */
  const request = async (db: Db, kind: SearchWork, requestedBy: string): Promise<Response> => {
    if (countDocuments === null) {
      throw new ServiceError('search_unavailable', 'there is no search index here: searches are answered without one')
    }
    await workOnSearchIndex(db, kind, requestedBy)
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
          description: '`/v1/events` tells how far a rebuild is.',
          operationId: 'getSearchIndex',
        },
      },
    )
    .post(
      '/admin/search-index/check',
      ({ request: caller, once }) => once((tx) => request(tx, 'check', requesterOf(caller).name)),
      {
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
      },
    )
    .post(
      '/admin/search-index/rebuild',
      ({ request: caller, once }) => once((tx) => request(tx, 'rebuild', requesterOf(caller).name)),
      {
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
      },
    )
}
