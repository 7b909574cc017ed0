import { Elysia } from 'elysia'
import type { Db } from '../../../../core/postgres/database'
import { isUuid } from '../../../../core/text/uuid'
import { findLoad } from '../../../../drizzle/queries/loads/list-loads'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { load, loadKey } from './schemas'

export const getLoadRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/:id',
      async ({ params: { id }, request }) => jsonResponse(await namedFor(sql, request, await getLoadJson(sql, id))),
      {
        needs: 'admin',
        params: loadKey,
        response: { 200: load, ...keyedErrors, ...notFound },
        detail: {
          tags: ['loads'],
          summary: 'Get one load',
          description: 'The verdict says what the load changes, and why it is held, with examples.',
          operationId: 'getLoad',
        },
      },
    )

/**
 * A load as JSON.
 *
 * @throws HttpError 404
 */
export const getLoadJson = async (db: Db, id: string): Promise<string> => {
  const body = isUuid(id) ? await findLoad(db, id) : null
  if (body === null) throw new HttpError(404, 'not found')
  return body
}
