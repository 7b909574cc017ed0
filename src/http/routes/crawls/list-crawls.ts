import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listCrawls } from '../../../../drizzle/queries/crawls/crawls'
import { findSourceVendor } from '../../../../drizzle/queries/sources/sources'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, pageJson } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, notFound, query, sourceSlug } from '../../schemas'
import { crawl } from './schemas'

export const listCrawlsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
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
        summary: 'List the crawls of a source',
        description:
          'Newest first. A source can be crawled if its vendor serves whole layers. At most one crawl of a source is queued or running. Finished ones are kept for 30 days.',
        operationId: 'listCrawls',
      },
    },
  )
