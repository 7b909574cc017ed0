import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Db } from '../../../core/postgres/database'
import { findCrawl, listCrawls } from '../../../drizzle/queries/crawls/crawls'
import { findSourceVendor } from '../../../drizzle/queries/sources/sources'
import { JOB_STATUSES } from '../../../drizzle/schema/scrape-jobs'
import { cancelCrawl } from '../../orders/cancel-crawl'
import { startCrawl } from '../../orders/start-crawl'
import { isUuid } from '../../parcels/is-uuid'
import { authorization, principalOf } from '../callers/auth'
import { namedFor } from '../callers/named-for'
import { requesterOf } from '../callers/requester-of'
import { errorBody, HttpError } from '../convention/errors'
import { idempotency } from '../convention/idempotency'
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

/** Of a crawl's rejects, which a wrong setting makes as many as there are parcels. */
const MOST_REJECTS = 100

const crawlFields = {
  id: idOf('crawl'),
  source: sourceSlug,
  vendor: textOf('The adapter that crawls it.', 'arcgis-rest'),
  status: oneOf(JOB_STATUSES, {
    description: 'How far it is; `done` and `error` are its ends.',
    examples: ['running'],
  }),
  requested_by: textOrNull(
    `Who asked for it: ${WHO}; \`operator\` on the command line; null for the scheduler.`,
    'pk_1a2b3',
  ),
  attempts: countOf('How often a worker took it.', 1),
  pages: countOf('Pages that are stored so far.', 12),
  inserted: countOf('Parcels that were new.', 1_100),
  updated: countOf('Parcels that had changed.', 60),
  unchanged: countOf('Parcels that had not changed.', 40),
  rejected: countOf('Records that could not be taken.', 1),
  total: countOrNull(
    'Records that the layer says it has; null when it does not say, and before the first page.',
    2_400,
  ),
  error_code: textOrNull(
    'Of the last try that failed, until a page is stored, or of the end: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled` ...',
    'throttled',
  ),
  error_message: textOrNull(
    'Why the last try failed; `cancelled by ...` marks a cancelled crawl.',
    'the features page of gis.larkspur.example returned status 503',
  ),
  created_at: at('When it was ordered.'),
  started_at: atOrNull('When it began; null: it has not.'),
  finished_at: atOrNull('When it ended; null: it has not.'),
  waits_until: atOrNull('When it goes on after a try that failed; null when it does not wait for that.'),
}
const crawl = Type.Object(crawlFields, {
  ...closed,
  component: 'Crawl',
  description: 'A full scrape of a source, page by page.',
})
const crawlWithRejects = Type.Object(
  {
    ...crawlFields,
    rejects: Type.Array(
      Type.Object(
        {
          what: textOf('Which record.', 'OID 8'),
          reason: textOf('Why it could not be taken.', 'PIN is empty'),
        },
        { ...closed, component: 'CrawlReject', description: 'A record that could not be taken.' },
      ),
      { description: `The first ${MOST_REJECTS} records that could not be taken, and why.` },
    ),
  },
  { ...closed, component: 'CrawlWithRejects', description: 'A full scrape of a source, and what it could not take.' },
)

const crawlKey = Type.Object({
  source: sourceSlug,
  id: Type.String({ description: 'A crawl id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})

export const crawlRoutes = ({ sql, authenticator }: Deps) => {
  /** @throws HttpError 404 */
  const getCrawl = async (db: Db, source: string, id: string): Promise<string> => {
    const body = isUuid(id) ? await findCrawl(db, { source, id, rejects: MOST_REJECTS }) : null
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
          200: Type.Object({ count, crawls: Type.Array(crawl, { description: 'The newest first.' }), next }),
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
        jsonResponse(await namedFor(sql, request, await getCrawl(sql, source, id))),
      {
        needs: 'admin',
        params: crawlKey,
        response: { 200: crawlWithRejects, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'One full scrape of a source, with what it could not take',
          description: '`/v1/events` tells each page as it is stored.',
          operationId: 'getCrawl',
        },
      },
    )
    .post(
      '/admin/sources/:source/crawls',
      ({ params: { source }, request, once }) =>
        once(async (tx) => {
          const id = await startCrawl(tx, source, requesterOf(request).name)
          return jsonResponse(await namedFor(tx, request, await getCrawl(tx, source, id)))
        }),
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
