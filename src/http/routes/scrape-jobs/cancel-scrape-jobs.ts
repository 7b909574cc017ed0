import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { cancelJobs, MAX_CANCELLED } from '../../../orders/cancel-jobs'
import { authorization, principalOf } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, countOf, keyedErrors, oneOf, sourceSlug, vendorName } from '../../schemas'
import { JOB_EXAMPLE } from './schemas'

export const cancelScrapeJobsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/scrape-jobs/cancel',
      ({ body, request, once }) =>
        once(async (tx) => jsonResponse(JSON.stringify(await cancelJobs(tx, body, principalOf(request).actor)))),
      {
        needs: 'admin',
        idempotent: true,
        body: Type.Object(
          {
            source: Type.Optional(sourceSlug),
            vendor: Type.Optional(vendorName),
            status: Type.Optional(
              oneOf(['queued', 'running'], { description: 'Omitted: both.', examples: ['queued'] }),
            ),
            limit: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: MAX_CANCELLED,
                description: 'Maximum number of jobs to cancel.',
                byDefault: MAX_CANCELLED,
                examples: [500],
              }),
            ),
          },
          {
            ...closed,
            description: 'Which jobs: of a source or of a vendor.',
            examples: [{ source: JOB_EXAMPLE.source, status: 'queued' }],
          },
        ),
        response: {
          200: Type.Object(
            {
              cancelled: countOf('Jobs that were cancelled.', 120),
              left: countOf('Matching jobs that are still queued or running. Repeat the request to cancel them.', 0),
            },
            closed,
          ),
          ...keyedErrors,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Cancel the jobs of a source or a vendor',
          description:
            'Ends queued and running jobs as errors, like `DELETE /scrape-jobs/{id}`. Crawls are not cancelled. Give either `source` or `vendor`.',
          operationId: 'cancelScrapeJobs',
        },
      },
    )
