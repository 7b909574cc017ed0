import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { enqueueAgCounty } from '../../../orders/enqueue-ag-county'
import { MAX_PARCELS } from '../../../orders/order-refresh'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, countOf, keyedErrors, notFound, sourceSlug } from '../../schemas'
import { JOB_EXAMPLE } from './schemas'

export const enqueueAgCountyRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/scrape-jobs/enqueue-ag-county',
      ({ body: { source, limit, skip_existing }, request, once }) =>
        once(async (tx) => {
          const wanted = { source, limit, skipExisting: skip_existing }
          const counts = await enqueueAgCounty(tx, wanted, requesterOf(request))
          const { considered, enqueued, skippedFresh, alreadyQueued } = counts
          return jsonResponse(
            JSON.stringify({
              source,
              considered,
              enqueued,
              skipped_fresh: skippedFresh,
              already_queued: alreadyQueued,
            }),
          )
        }),
      {
        needs: 'enqueue',
        idempotent: true,
        body: Type.Object(
          {
            source: sourceSlug,
            limit: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: MAX_PARCELS,
                description: 'Maximum number of parcels to queue.',
                byDefault: MAX_PARCELS,
                examples: [500],
              }),
            ),
            skip_existing: Type.Optional(
              Type.Boolean({
                description: "Skip parcels that were scraped within the source's cadence.",
                byDefault: true,
                examples: [true],
              }),
            ),
          },
          {
            ...closed,
            description: 'The county and the number of parcels.',
            examples: [{ source: JOB_EXAMPLE.source, limit: 500 }],
          },
        ),
        response: {
          200: Type.Object(
            {
              source: sourceSlug,
              considered: countOf('Agricultural parcels considered.', 420),
              enqueued: countOf('New jobs.', 400),
              skipped_fresh: countOf("Skipped because they were scraped within the source's cadence.", 15),
              already_queued: countOf('Skipped because they were already queued.', 5),
            },
            closed,
          ),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: "Queue scrapes of a county's agricultural parcels",
          description:
            "Parcels that were scraped within the source's cadence are skipped unless `skip_existing` is false.",
          operationId: 'enqueueAgCounty',
        },
      },
    )
