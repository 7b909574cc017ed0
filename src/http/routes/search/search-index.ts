import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Db } from '../../../../core/postgres/database'
import { ServiceError } from '../../../../core/service-error'
import { describeStates } from '../../../../core/state-set'
import { readSearchIndex, type SearchWork } from '../../../../drizzle/queries/search/search-index-work'
import { workOnSearchIndex } from '../../../orders/work-on-search-index'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { at, atOrNull, closed, countOf, countOrNull, keyedErrors, oneOf, textOf, textOrNull, WHO } from '../../schemas'

const work = {
  running: Type.Boolean({ description: 'Whether it is running.', examples: [false] }),
  state: oneOf(['requested', 'running', 'done', 'failed'], { description: 'Its state.', examples: ['done'] }),
  requested_by: textOrNull(`Who requested it: ${WHO}; null if it was due or was run on the command line.`, 'pk_1a2b3'),
  requested_at: atOrNull('When it was requested; null if nobody requested it.'),
  started_at: atOrNull('When it started; null if it has not started.'),
  finished_at: atOrNull('When it ended; null if it has not ended.'),
  error: textOrNull('Why it failed.', 'Meilisearch did not answer'),
}

const documents = countOrNull(
  'Documents in the index; null without an index, or while Meilisearch is unavailable.',
  5_300,
)

const outbox = {
  outbox_depth: countOf('Changes not yet sent to the index.', 0),
  outbox_age_seconds: Type.Number({
    minimum: 0,
    description: 'Age of the oldest change not yet sent; 0 if there is none.',
    examples: [0],
  }),
}

const state = {
  drift: Type.Union(
    [
      Type.Object(
        {
          checked_at: at('When the comparison ended.'),
          missing: countOf('Documents that were missing from the index.', 0),
          extra: countOf('Documents without a row in the database.', 0),
          different: countOf('Documents that differed from their row.', 0),
        },
        { ...closed, component: 'SearchIndexDrift', description: 'How the index and the database differed.' },
      ),
      Type.Null(),
    ],
    { description: 'The differences that the last check found. They were sent again. Null before the first check.' },
  ),
  check: Type.Union(
    [
      Type.Object(work, { ...closed, component: 'SearchIndexWork', description: 'A check of the search index.' }),
      Type.Null(),
    ],
    { description: 'The running check, or the last one; null before the first.' },
  ),
  rebuild: Type.Union(
    [
      Type.Object(
        {
          ...work,
          done: countOf('Documents sent so far.', 5_300),
          total: countOf('Documents to send.', 5_300),
        },
        { ...closed, component: 'SearchIndexRebuild', description: 'A rebuild of the search index.' },
      ),
      Type.Null(),
    ],
    { description: 'The running rebuild, or the last one; null before the first.' },
  ),
}

const searchIndex = Type.Object(
  {
    documents,
    ...outbox,
    ...state,
    instances: Type.Array(
      Type.Object(
        {
          instance: textOf('Its host and port.', 'meilisearch:7700'),
          states: textOf('The states that it holds.', 'all but OR, WA'),
          documents,
          ...outbox,
          ...state,
        },
        { ...closed, component: 'SearchIndexInstance', description: 'An instance of Meilisearch.' },
      ),
      { description: 'The instances of Meilisearch. Each has the parcels and entities of its states.' },
    ),
  },
  {
    ...closed,
    component: 'SearchIndex',
    description: 'State of the search index: of all instances together, and of each.',
  },
)

const body = Type.Object(
  {
    instance: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'Host and port of one instance of Meilisearch. Default: all instances.',
        examples: ['meilisearch:7700'],
      }),
    ),
  },
  { ...closed, description: 'Which instance.', examples: [{}] },
)

const accepted = Type.Object(
  {
    work: Type.Union([Type.Literal('check'), Type.Literal('rebuild')], {
      description: 'The requested work.',
      examples: ['check'],
    }),
    state: Type.Literal('requested', { description: 'The work has not started.' }),
  },
  { ...closed, component: 'SearchIndexRequest', description: 'Requested work on the search index.' },
)

export const searchIndexRoutes = ({ sql, authenticator, indexedInstances }: Deps) => {
  /**
   * @throws ServiceError `search_unavailable` if there is no index
   * @throws HttpError 400 if there is no such instance
   */
  const request = async (db: Db, kind: SearchWork, requestedBy: string, instance?: string): Promise<Response> => {
    if (indexedInstances.length === 0) {
      throw new ServiceError('search_unavailable', 'this service has no search index; it searches in the database')
    }
    const chosen = indexedInstances.filter(({ name }) => instance === undefined || name === instance)
    if (chosen.length === 0) {
      throw new HttpError(400, `instance must be one of ${indexedInstances.map(({ name }) => name).join(', ')}`)
    }
    const queues = chosen.map(({ queue }) => queue)
    await workOnSearchIndex(db, kind, requestedBy, queues)
    return jsonResponse(JSON.stringify({ work: kind, state: 'requested' }), { status: 202 })
  }
  const contract = {
    needs: 'admin',
    idempotent: true,
    body: Type.Union([body, Type.Null()]),
    response: { 202: accepted, 409: errorBody, ...keyedErrors },
  } as const

  return new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
      '/admin/search-index',
      async ({ request: caller }) => {
        const instances = indexedInstances.map(async ({ name, states, queue, countDocuments }) => ({
          name,
          queue,
          states: describeStates(states),
          documents: await countDocuments(),
        }))
        return jsonResponse(await namedFor(sql, caller, await readSearchIndex(sql, await Promise.all(instances))))
      },
      {
        needs: 'admin',
        response: { 200: searchIndex, ...keyedErrors },
        detail: {
          tags: ['search'],
          summary: 'Get the delay of the search index, and its last check and rebuild',
          description: '`/v1/events` reports the progress of a rebuild.',
          operationId: 'getSearchIndex',
        },
      },
    )
    .post(
      '/admin/search-index/check',
      ({ request: caller, body, once }) => once((tx) => request(tx, 'check', requesterOf(caller).name, body?.instance)),
      {
        ...contract,
        detail: {
          tags: ['search'],
          summary: 'Compare the search index with the database now',
          description:
            'Differences are sent to the index again. The sync role runs the check; `/v1/events` reports when it ends. 409: a check is already requested or running.',
          operationId: 'checkSearchIndex',
        },
      },
    )
    .post(
      '/admin/search-index/rebuild',
      ({ request: caller, body, once }) =>
        once((tx) => request(tx, 'rebuild', requesterOf(caller).name, body?.instance)),
      {
        ...contract,
        detail: {
          tags: ['search'],
          summary: 'Rebuild the search index',
          description:
            'The rebuild creates a new index while searches use the old one. The sync role runs it, one instance of Meilisearch after the other; `/v1/events` reports its progress. 409: a rebuild is already requested or running.',
          operationId: 'rebuildSearchIndex',
        },
      },
    )
}
