import { Elysia } from 'elysia'
import { cancelJob } from '../../../orders/cancel-job'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { job, jobKey } from './schemas'

export const cancelScrapeJobRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .delete(
      '/scrape-jobs/:id',
      async ({ params: { id }, request }) =>
        jsonResponse(await namedFor(sql, request, await cancelJob(sql, id, principalOf(request).actor))),
      {
        needs: 'admin',
        params: jobKey,
        response: { 200: job, ...keyedErrors, ...notFound },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Cancel a queued or running job',
          description: 'A running job is stopped and its result is discarded. Returns 404 for a job that has ended.',
          operationId: 'cancelScrapeJob',
        },
      },
    )
