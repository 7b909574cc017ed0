import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { findWork } from '../../../../drizzle/queries/work/list-work'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { work, workKey } from './schemas'

export const getWorkRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/:id',
    async ({ params: { id }, request }) => {
      const body = isUuid(id) ? await findWork(sql, id) : null
      if (body === null) throw new HttpError(404, 'not found')
      return jsonResponse(await namedFor(sql, request, body))
    },
    {
      needs: 'admin',
      params: workKey,
      response: { 200: work, ...keyedErrors, ...notFound },
      detail: {
        tags: ['work'],
        summary: 'Get one long-running piece of work',
        description: 'Finds work of every kind. Scrape jobs have their own route.',
        operationId: 'getWork',
      },
    },
  )
