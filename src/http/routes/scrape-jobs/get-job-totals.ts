import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { findJobTotals } from '../../../../drizzle/queries/jobs/job-totals'
import { estimateSecondsLeft } from '../../../orders/order-refresh'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { jsonResponse } from '../../convention/body/json'
import { parseTime, time } from '../../convention/parameters/parse-time'
import type { Deps } from '../../deps'
import { at, closed, countOf, countOrNull, keyedErrors, query, sourceSlug, vendorName } from '../../schemas'

const HOUR_MS = 3_600_000

const jobTotals = Type.Object(
  {
    queued: countOf('Queued jobs.', 1_200),
    running: countOf('Running jobs.', 4),
    done: countOf('Jobs that succeeded since `since`.', 840),
    failed: countOf('Jobs that failed since `since`, including cancelled ones.', 3),
    since: at('Start of the period in which ended jobs are counted.'),
    seconds_left: countOrNull(
      'Estimated seconds that the vendors need for all queued jobs, including those of other sources. Null: unknown, because a vendor is paused or has not been scraped in the last 30 days.',
      620,
    ),
  },
  { ...closed, component: 'JobTotals', description: 'Counts of jobs.' },
)

export const getJobTotalsRoute = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/scrape-jobs/totals',
    async ({ query: { source, vendor, since: text }, request }) => {
      const since = text === undefined ? new Date(Date.now() - HOUR_MS).toISOString() : parseTime('since', text)
      const scope = { source, vendor }
      return listTurns.run(callerOf(request), async () => {
        const [totals, secondsLeft] = await Promise.all([
          findJobTotals(sql, scope, since),
          estimateSecondsLeft(sql, scope),
        ])
        return jsonResponse(JSON.stringify({ ...totals, since, seconds_left: secondsLeft }))
      })
    },
    {
      needs: 'read',
      query: query({
        source: t.Optional(sourceSlug),
        vendor: t.Optional(vendorName),
        since: time('Start of the period in which ended jobs are counted. Default: one hour ago.'),
      }),
      response: { 200: jobTotals, ...keyedErrors },
      detail: {
        tags: ['scrape-jobs'],
        summary: 'Count jobs, and estimate the time left',
        description:
          'The jobs of a source, of a vendor, or all of them. Without `source`, `vendor` selects its sources.',
        operationId: 'getJobTotals',
      },
    },
  )
