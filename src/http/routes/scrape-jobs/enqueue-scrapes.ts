import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { enqueueScrapes } from '../../../orders/enqueue-scrapes'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { idempotency } from '../../convention/idempotency'
import { jsonResponse } from '../../convention/json'
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
        body: Type.Union([order, orders], { description: 'A parcel, or 1 to 1,000 of them.' }),
        response: {
          200: Type.Object({
            count,
            jobs: Type.Array(queuedJob, { description: 'One for each parcel.' }),
          }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Queue scrapes of parcels',
          description:
            'A parcel that is named twice, or queued already, has one job: sending the same again changes nothing but `updated_at`. A call of up to 100 parcels goes before refreshes and larger calls (`priority`: `high`), and brings forward what is queued already. When a source is unknown, nothing is queued.',
          operationId: 'enqueueScrapes',
        },
      },
    )
