import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MAX_RETRIED, retryFailedJobs } from '../../../orders/retry-failed-jobs'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, countOf, keyedErrors, notFound, sourceSlug, vendorName } from '../../schemas'
import { failureClassName } from '../sources/failure-schemas'
import { JOB_EXAMPLE } from './schemas'

export const retryFailedJobsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/scrape-jobs/retry',
      ({ body: { source, vendor, failure_class, limit }, request, once }) =>
        once(async (tx) => {
          const wanted = { source, vendor, failureClass: failure_class, limit }
          const { failed, queued, alreadyQueued, left } = await retryFailedJobs(tx, wanted, requesterOf(request))
          return jsonResponse(JSON.stringify({ failed, queued, already_queued: alreadyQueued, left }))
        }),
      {
        needs: 'admin',
        idempotent: true,
        body: Type.Object(
          {
            source: Type.Optional(sourceSlug),
            vendor: Type.Optional(vendorName),
            failure_class: failureClassName,
            limit: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: MAX_RETRIED,
                description: 'Maximum number of parcels to queue.',
                byDefault: MAX_RETRIED,
                examples: [500],
              }),
            ),
          },
          {
            ...closed,
            description: 'Which jobs: of a source or of a vendor, and why they failed.',
            examples: [{ source: JOB_EXAMPLE.source, failure_class: 'page_changed' }],
          },
        ),
        response: {
          200: Type.Object(
            {
              failed: countOf('Parcels whose last job failed for this reason, and sources whose last crawl did.', 120),
              queued: countOf('New jobs and crawls.', 100),
              already_queued: countOf('Parcels and crawls that were already queued or running.', 20),
              left: countOf('Parcels beyond `limit`. Repeat the request to queue them.', 0),
            },
            closed,
          ),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Retry failed jobs by the class of their failure',
          description:
            'Queues again each parcel whose last job failed for this reason, with the same overrides, and restarts each crawl whose last run failed for this reason. Give either `source` or `vendor`. A repeated request queues nothing twice.',
          operationId: 'retryFailedJobs',
        },
      },
    )
