import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findCrawl, listCrawls } from '../../../drizzle/queries/crawls'
import { findSourceVendor } from '../../../drizzle/queries/sources'
import { JOB_STATUSES } from '../../../drizzle/schema/scrape-jobs'
import { cancelCrawl } from '../../services/cancel-crawl'
import { isUuid } from '../../services/is-uuid'
import { startCrawl } from '../../services/start-crawl'
import { authorization, principalOf } from '../auth'
import type { Deps } from '../deps'
import { errorBody, HttpError } from '../errors'
import { idempotency } from '../idempotency'
import { jsonResponse, pageJson } from '../json'
import { namedFor } from '../named-for'
import { requesterOf } from '../requester-of'
import {
  after,
  closed,
  keyedErrors,
  limit,
  next,
  notFound,
  nullable,
  oneOf,
  query,
  sourceSlug,
  timestamp,
  uuid,
  WHO,
} from '../schemas'

/** Of a crawl's rejects, which a wrong setting makes as many as there are parcels. */
const MOST_REJECTS = 100

const count = (description: string) => Type.Integer({ minimum: 0, description })
const momentOrNull = Type.Union([timestamp, Type.Null()])

const crawlFields = {
  id: uuid,
  source: sourceSlug,
  vendor: Type.String({ description: 'The adapter that crawls it.', examples: ['arcgis-rest'] }),
  status: oneOf(JOB_STATUSES, { examples: ['running'] }),
  requested_by: nullable(
    Type.String({
      description: `Who asked for it: ${WHO}; \`operator\` on the command line; null for the scheduler.`,
      examples: ['pk_1a2b3'],
    }),
  ),
  attempts: count('How often a worker took it.'),
  pages: count('Stored so far.'),
  inserted: count('Parcels that were new.'),
  updated: count('Parcels that had changed.'),
  unchanged: count('Parcels that had not changed.'),
  rejected: count('Records that could not be taken.'),
  total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Records that the layer says it has; null when it does not say, and before the first page.',
  }),
  error_code: nullable(
    Type.String({
      description:
        'Of the last try that failed, until a page is stored, or of the end: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled` ...',
      examples: ['throttled'],
    }),
  ),
  error_message: nullable(Type.String({ description: '`cancelled by ...` marks a cancelled crawl.' })),
  created_at: timestamp,
  started_at: momentOrNull,
  finished_at: momentOrNull,
  waits_until: Type.Union([timestamp, Type.Null()], {
    description: 'When it goes on after a try that failed; null when it does not wait for that.',
  }),
}
const crawl = Type.Object(crawlFields, closed)
const crawlWithRejects = Type.Object(
  {
    ...crawlFields,
    rejects: Type.Array(Type.Object({ what: Type.String({ examples: ['OID 8'] }), reason: Type.String() }, closed), {
      description: `The first ${MOST_REJECTS} records that could not be taken, and why.`,
    }),
  },
  closed,
)

const crawlKey = Type.Object({
  source: sourceSlug,
  id: Type.String({ description: 'A crawl id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})

export const crawlRoutes = ({ sql, authenticator }: Deps) => {
  /** @throws HttpError 404 */
  const getCrawl = async (source: string, id: string): Promise<string> => {
    const body = isUuid(id) ? await findCrawl(sql, { source, id, rejects: MOST_REJECTS }) : null
    if (body === null) throw new HttpError(404, 'not found')
    return body
  }

  return new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
      '/admin/sources/:source/crawls',
      async ({ params: { source }, query: { limit = 100, after = null }, request }) => {
        const list = async (limit: number) => {
          const crawls = await listCrawls(sql, source, { after, limit })
          const isKnown = crawls.length > 0 || (await findSourceVendor(sql, source)) !== null
          if (!isKnown) throw new HttpError(404, 'not found')
          return crawls
        }
        return jsonResponse(await namedFor(sql, request, await pageJson('crawls', limit, list, ({ id }) => id)))
      },
      {
        needs: 'admin',
        params: Type.Object({ source: sourceSlug }),
        query: query({ limit: limit(500, 100), after }),
        response: {
          200: Type.Object({ count: Type.Integer(), crawls: Type.Array(crawl), next }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['sources'],
          summary: 'Full scrapes of a source, newest first',
          description:
            'Of sources whose vendor gives whole layers, page by page. One of them at most is queued or runs; those that ended are kept for 30 days.',
          operationId: 'listCrawls',
        },
      },
    )
    .get(
      '/admin/sources/:source/crawls/:id',
      async ({ params: { source, id }, request }) =>
        jsonResponse(await namedFor(sql, request, await getCrawl(source, id))),
      {
        needs: 'admin',
        params: crawlKey,
        response: { 200: crawlWithRejects, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'One full scrape of a source, with what it could not take',
          operationId: 'getCrawl',
        },
      },
    )
    .post(
      '/admin/sources/:source/crawls',
      async ({ params: { source }, request }) =>
        jsonResponse(
          await namedFor(
            sql,
            request,
            await getCrawl(source, await startCrawl(sql, source, requesterOf(request).name)),
          ),
        ),
      {
        needs: 'admin',
        idempotent: true,
        params: Type.Object({ source: sourceSlug }),
        response: { 200: crawlWithRejects, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['sources'],
          summary: 'Scrape a source in full now',
          description:
            'Whether it is active or not. A worker does it, wherever it runs; `/v1/events` tells how far it is. The answer is the crawl that is queued or runs, which may have been there already. 409: the vendor of the source gives no whole layers.',
          operationId: 'startCrawl',
        },
      },
    )
    .delete(
      '/admin/sources/:source/crawls/:id',
      async ({ params: { source, id }, request }) =>
        jsonResponse(await namedFor(sql, request, await cancelCrawl(sql, source, id, principalOf(request).actor))),
      {
        needs: 'admin',
        params: crawlKey,
        response: { 200: crawl, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'Cancel a queued or running full scrape',
          description:
            'Its worker stores no page more; what is stored stays, and the source does not count as scraped in full. 404 for a crawl that has ended.',
          operationId: 'cancelCrawl',
        },
      },
    )
}
