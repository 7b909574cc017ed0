import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { startCrawl } from '../../../orders/start-crawl'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, sourceSlug } from '../../schemas'
import { getCrawlJson } from './get-crawl'
import { crawlWithRejects } from './schemas'

export const startCrawlRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/admin/sources/:source/crawls',
      ({ params: { source }, request, once }) =>
        once(async (tx) => {
          const id = await startCrawl(tx, source, requesterOf(request).name)
          return jsonResponse(await namedFor(tx, request, await getCrawlJson(tx, source, id)))
        }),
      {
        needs: 'admin',
        idempotent: true,
        params: Type.Object({ source: sourceSlug }),
        response: { 200: crawlWithRejects, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['sources'],
          summary: 'Crawl a source now',
          description:
            'The source need not be active. A worker runs the crawl; `/v1/events` reports its progress. If a crawl of the source is already queued or running, that one is returned. 409: the vendor does not serve whole layers.',
          operationId: 'startCrawl',
        },
      },
    )
