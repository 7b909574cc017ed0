import { Elysia } from 'elysia'
import type { Db } from '../../../../core/postgres/database'
import { isUuid } from '../../../../core/text/uuid'
import { findCrawl } from '../../../../drizzle/queries/crawls/crawls'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { crawlKey, crawlWithRejects, MAX_REJECTS } from './schemas'

export const getCrawlRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/admin/sources/:source/crawls/:id',
      async ({ params: { source, id }, request }) =>
        jsonResponse(await namedFor(sql, request, await getCrawlJson(sql, source, id))),
      {
        needs: 'admin',
        params: crawlKey,
        response: { 200: crawlWithRejects, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'Get one crawl of a source, with its rejected records',
          description: '`/v1/events` sends an event for each page.',
          operationId: 'getCrawl',
        },
      },
    )

/**
 * A crawl with its rejects, as JSON.
 *
 * @throws HttpError 404
 */
export const getCrawlJson = async (db: Db, source: string, id: string): Promise<string> => {
  const body = isUuid(id) ? await findCrawl(db, { source, id, rejects: MAX_REJECTS }) : null
  if (body === null) throw new HttpError(404, 'not found')
  return body
}
