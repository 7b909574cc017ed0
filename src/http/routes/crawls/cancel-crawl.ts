import { Elysia } from 'elysia'
import { cancelCrawl } from '../../../orders/cancel-crawl'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { crawl, crawlKey } from './schemas'

export const cancelCrawlRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
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
          summary: 'Cancel a queued or running crawl',
          description:
            'The worker reads no more pages. Staged pages are discarded. What is already visible stays: pages of a first crawl, and parcels that were written while the crawl was being applied; undo the crawl to revert them. It does not count as a complete refresh of the source. 404 if the crawl has ended.',
          operationId: 'cancelCrawl',
        },
      },
    )
