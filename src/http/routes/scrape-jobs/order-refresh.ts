import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { estimateRefresh, MAX_PARCELS, orderRefresh } from '../../../orders/order-refresh'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { idempotency } from '../../convention/idempotency'
import { toQuery } from '../../convention/parameters/filter-body'
import { isNarrow, needsNarrower, parseParcelFilter } from '../../convention/parameters/parcel-filter'
import type { Deps } from '../../deps'
import { closed, countOf, countOrNull, keyedErrors, notFound } from '../../schemas'
import { filter } from '../exports/schemas'
import { JOB_EXAMPLE } from './schemas'

const estimate = Type.Object(
  {
    parcels: countOf('Parcels that would be queued.', 405),
    skipped_fresh: countOf("Parcels that were scraped within their source's cadence.", 15),
    seconds: countOrNull(
      'Estimated seconds until the refresh is done, including jobs that are already waiting. Null: unknown, because a vendor is paused or has not been scraped in the last 30 days.',
      620,
    ),
  },
  { ...closed, component: 'RefreshEstimate', description: 'What a refresh would queue.' },
)
const ordered = Type.Object(
  {
    considered: countOf('Parcels of the filter that were examined. Examining stops when `limit` are queued.', 420),
    enqueued: countOf('New jobs.', 400),
    skipped_fresh: countOf("Parcels that were scraped within their source's cadence.", 15),
    already_queued: countOf('Parcels that were already queued.', 5),
  },
  { ...closed, component: 'RefreshOrder', description: 'What a refresh queued.' },
)

export const orderRefreshRoute = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/scrape-jobs/refresh',
      async ({ body: { filter, limit, skip_fresh: skipFresh, dry_run: isDryRun }, request, once }) => {
        const wanted = { filter: parseParcelFilter(toQuery(filter)), limit, skipFresh }
        if (!isNarrow(wanted.filter)) throw needsNarrower('a refresh')
        // A large box takes seconds. In turns, one caller never takes all connections.
        return listTurns.run(callerOf(request), async () => {
          if (isDryRun) {
            const { parcels, skippedFresh, seconds } = await estimateRefresh(sql, wanted)
            return jsonResponse(JSON.stringify({ parcels, skipped_fresh: skippedFresh, seconds }))
          }
          return once(async (tx) => {
            const counts = await orderRefresh(tx, wanted, requesterOf(request))
            const { considered, enqueued, skippedFresh, alreadyQueued } = counts
            return jsonResponse(
              JSON.stringify({ considered, enqueued, skipped_fresh: skippedFresh, already_queued: alreadyQueued }),
            )
          })
        })
      },
      {
        needs: 'enqueue',
        idempotent: true,
        body: Type.Object(
          {
            filter,
            limit: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: MAX_PARCELS,
                description: 'Maximum number of parcels to queue.',
                byDefault: MAX_PARCELS,
                examples: [500],
              }),
            ),
            skip_fresh: Type.Optional(
              Type.Boolean({
                description: "Skip parcels that were scraped within their source's cadence.",
                byDefault: true,
                examples: [true],
              }),
            ),
            dry_run: Type.Optional(
              Type.Boolean({
                description: 'Only counts the parcels and estimates the time.',
                byDefault: false,
                examples: [false],
              }),
            ),
          },
          {
            ...closed,
            description: 'Which parcels.',
            examples: [{ filter: { source: JOB_EXAMPLE.source, min_acres: 5 } }],
          },
        ),
        response: {
          200: Type.Union([ordered, estimate]),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Queue scrapes of the parcels of a filter',
          description:
            'The filter needs `source`, `county`, `owner`, `parcel_id` or `bbox`. Jobs have `normal` priority. With `dry_run`, nothing is queued, and the response says how many parcels would be queued and how long they would take.',
          operationId: 'orderRefresh',
        },
      },
    )
