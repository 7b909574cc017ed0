import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { enqueueScrapes } from '../../../orders/enqueue-scrapes'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { count, keyedErrors, notFound } from '../../schemas'
import { order, orders, queuedJob } from './schemas'

export const enqueueScrapesRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/scrape-jobs',
      ({ body, request, once }) => {
        const wanted = [body]
          .flat()
          .map(({ source, source_parcel_id }) => ({ source, sourceParcelId: source_parcel_id }))
        return once(async (tx) => {
          const queued = await enqueueScrapes(tx, wanted, requesterOf(request))
          const jobs = queued.map(({ id, source, sourceParcelId }) => ({
            id,
            source,
            source_parcel_id: sourceParcelId,
          }))
          return jsonResponse(JSON.stringify({ count: jobs.length, jobs }))
        })
      },
      {
        needs: 'enqueue',
        idempotent: true,
        body: Type.Union([order, orders], { description: 'One parcel, or an array of 1 to 1,000.' }),
        response: {
          200: Type.Object({
            count,
            jobs: Type.Array(queuedJob, { description: 'One job for each parcel.' }),
          }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Queue scrapes of parcels',
          description:
            'Each parcel gets one job, even if it is listed twice or already queued; repeating the request only changes `updated_at`. Jobs from a request of up to 100 parcels have `high` priority and run before refreshes and larger requests; jobs that are already queued are raised to `high`. If any source is unknown, nothing is queued.',
          operationId: 'enqueueScrapes',
        },
      },
    )
