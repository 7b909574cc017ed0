import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { findJob } from '../../../../drizzle/queries/jobs/scrape-jobs'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { job, jobKey } from './schemas'

export const getScrapeJobRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/scrape-jobs/:id',
    async ({ params: { id }, request }) => {
      const body = isUuid(id) ? await findJob(sql, id) : null
      if (body === null) throw new HttpError(404, 'not found')
      return jsonResponse(await namedFor(sql, request, body))
    },
    {
      needs: 'read',
      params: jobKey,
      response: { 200: job, ...keyedErrors, ...notFound },
      detail: {
        tags: ['scrape-jobs'],
        summary: 'Get one scrape job',
        description: '`/v1/events` sends every status change as it happens.',
        operationId: 'getScrapeJob',
      },
    },
  )
