import { Elysia } from 'elysia'
import { retryJob } from '../../../orders/retry-job'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { job, jobKey } from './schemas'

export const retryScrapeJobRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/scrape-jobs/:id/retry',
      ({ params: { id }, request, once }) =>
        once(async (tx) => jsonResponse(await namedFor(tx, request, await retryJob(tx, id, requesterOf(request))))),
      {
        needs: 'admin',
        idempotent: true,
        params: jobKey,
        response: { 200: job, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Retry a finished job',
          description:
            'Queues the parcel again with the same overrides and returns the new job. If the parcel is already queued, it returns that job. Returns 409 if the job has not ended.',
          operationId: 'retryScrapeJob',
        },
      },
    )
