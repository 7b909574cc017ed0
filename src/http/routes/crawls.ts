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

/** Maximum number of rejected records in a response. With a wrong setting, a crawl can reject every record of the layer. */
const MOST_REJECTS = 100

const crawlFields = {
  id: idOf('crawl'),
  source: sourceSlug,
  vendor: textOf('The vendor of the source.', 'arcgis-rest'),
  status: oneOf(JOB_STATUSES, {
    description: '`done` and `error` are final.',
    examples: ['running'],
  }),
  requested_by: textOrNull(
    `Who requested it: ${WHO}; \`operator\` for the command line; null for the scheduler.`,
    'pk_1a2b3',
  ),
  attempts: countOf('How many times a worker has claimed it.', 1),
  pages: countOf('Pages stored so far.', 12),
  inserted: countOf('Parcels added.', 1_100),
  updated: countOf('Parcels updated.', 60),
  unchanged: countOf('Parcels that were unchanged.', 40),
  rejected: countOf('Records rejected.', 1),
  total: countOrNull(
    'Number of records that the layer reports; null before the first page, or if the layer reports none.',
    2_400,
  ),
  error_code: textOrNull(
    'Error code of the last failed attempt: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled` ... Cleared when a page is stored.',
    'throttled',
  ),
  error_message: textOrNull(
    'Why the last attempt failed. A cancelled crawl has `cancelled by ...`.',
    'the features page of gis.larkspur.example returned status 503',
  ),
  created_at: at('When it was requested.'),
  started_at: atOrNull('When it started; null if it has not started.'),
  finished_at: atOrNull('When it ended; null if it has not ended.'),
  waits_until: atOrNull('When it is retried after a failed attempt; null if it is not waiting for a retry.'),
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
          what: textOf('The record, as the portal identifies it.', 'OID 8'),
          reason: textOf('Why it was rejected.', 'PIN is empty'),
        },
        { ...closed, component: 'CrawlReject', description: 'A rejected record.' },
      ),
      { description: `The first ${MOST_REJECTS} rejected records.` },
    ),
  },
  { ...closed, component: 'CrawlWithRejects', description: 'A full scrape of a source, with its rejected records.' },
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
          200: Type.Object({ count, crawls: Type.Array(crawl, { description: 'Newest first.' }), next }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['sources'],
          summary: 'List the full scrapes of a source',
          description:
            'Newest first. A source can be scraped in full if its vendor serves whole layers. At most one full scrape of a source is queued or running. Finished ones are kept for 30 days.',
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
          summary: 'Get one full scrape of a source, with its rejected records',
          description: '`/v1/events` sends an event for each stored page.',
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
            'The source need not be active. A worker runs the crawl; `/v1/events` reports its progress. If a crawl of the source is already queued or running, that one is returned. 409: the vendor does not serve whole layers.',
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
            'The worker stores no more pages. Stored pages stay, but the source does not count as scraped in full. 404 if the crawl has ended.',
          operationId: 'cancelCrawl',
        },
      },
    )
}
