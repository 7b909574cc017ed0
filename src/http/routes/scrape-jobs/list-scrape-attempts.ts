import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { findAttempts } from '../../../../drizzle/queries/jobs/scrape-jobs'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, textOrNull, WHO } from '../../schemas'
import { attempt, jobKey } from './schemas'

export const listScrapeAttemptsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/scrape-jobs/:id/attempts',
    async ({ params: { id }, request }) => {
      const requestedBy = principalOf(request).capability === 'admin'
      const body = isUuid(id) ? await findAttempts(sql, id, { requestedBy }) : null
      if (body === null) throw new HttpError(404, 'not found')
      return jsonResponse(await namedFor(sql, request, body))
    },
    {
      needs: 'read',
      params: jobKey,
      response: {
        200: Type.Object(
          {
            requested_by: Type.Optional(
              textOrNull(`Only for admins. Who requested the job: ${WHO}. Null for the scheduler.`, 'pk_1a2b3'),
            ),
            attempts: Type.Array(attempt, { description: 'Oldest first.' }),
          },
          closed,
        ),
        ...keyedErrors,
        ...notFound,
      },
      detail: {
        tags: ['scrape-jobs'],
        summary: 'List the attempts of one scrape job',
        description:
          'Oldest first. Empty if the job was cancelled before a worker claimed it, and for failures before attempts were recorded.',
        operationId: 'listScrapeAttempts',
      },
    },
  )
