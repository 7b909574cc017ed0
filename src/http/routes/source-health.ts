import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listSourceHealth } from '../../../drizzle/queries/sources/source-health'
import { readErrorHistory } from '../../../drizzle/queries/tuner/keep-history'
import { authorization } from '../callers/auth'
import { callerOf } from '../callers/caller-of'
import { jsonResponse, wholeOrPageJson } from '../convention/json'
import type { Deps } from '../deps'
import {
  afterName,
  at,
  atOrNull,
  closed,
  count,
  countOf,
  keyedErrors,
  limit,
  nextIfLimited,
  query,
  sourceSlug,
  textOf,
} from '../schemas'
import { active, cadence, countyFields, nextDueAt } from './sources'

const sourceHealth = Type.Object(
  {
    ...countyFields,
    active,
    parcel_count: countOf('Stored parcels.', 5_000),
    queued: countOf('Queued jobs.', 12),
    running: countOf('Running jobs.', 4),
    errors_24h: countOf('Jobs and full scrapes that failed in the last 24 hours.', 0),
    last_success_at: atOrNull('Time when a job last succeeded; null if none did.'),
    last_error_at: atOrNull('Time when a job last failed; null if none did.'),
    cadence,
    next_due_at: nextDueAt,
  },
  { ...closed, component: 'SourceHealth', description: 'Health of a source.' },
)

const errorHistory = Type.Object(
  {
    counted_up_to: at('Jobs that ended after this time are not counted yet.'),
    count,
    sources: Type.Array(
      Type.Object(
        {
          source_slug: sourceSlug,
          days: Type.Array(
            Type.Object(
              {
                day: textOf('Day in UTC.', '2026-01-02'),
                finished: countOf('Jobs and full scrapes that ended.', 40),
                errors: countOf('How many of them failed.', 2),
              },
              { ...closed, component: 'SourceDay', description: 'Finished and failed jobs of one day.' },
            ),
            { description: 'One entry per day, oldest first.' },
          ),
        },
        { ...closed, component: 'SourceErrorHistory', description: 'Finished and failed jobs of a source by day.' },
      ),
      { description: 'Ordered by slug.' },
    ),
  },
  closed,
)

export const sourceHealthRoutes = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/admin/sources/error-history',
      async ({ query: { days = 14 } }) => jsonResponse(await readErrorHistory(sql, days)),
      {
        needs: 'admin',
        query: query({
          days: t.Optional(
            t.Integer({
              minimum: 1,
              maximum: 30,
              description: 'Number of days, including today.',
              byDefault: 14,
              examples: [14],
            }),
          ),
        }),
        response: { 200: errorHistory, ...keyedErrors },
        detail: {
          tags: ['sources'],
          summary: 'Get the error history of all sources by day',
          description:
            'Counts finished and failed jobs and full scrapes. Sources without any are omitted. Updated every five minutes.',
          operationId: 'listErrorHistory',
        },
      },
    )
    .get(
      '/admin/sources/health',
      async ({ query: { limit, after = null }, request }) => {
        const list = (limit: number | null) => listSourceHealth(sql, { after, limit })
        return listTurns.run(callerOf(request), async () =>
          jsonResponse(await wholeOrPageJson('sources', limit, list, ({ source }) => source)),
        )
      },
      {
        needs: 'read',
        query: query({ limit: limit(500), after: afterName(sourceSlug) }),
        response: {
          200: Type.Object({
            count,
            sources: Type.Array(sourceHealth, { description: 'Ordered by slug.' }),
            next: nextIfLimited,
          }),
          ...keyedErrors,
        },
        detail: {
          tags: ['sources'],
          summary: 'Get the health of sources: parcels, jobs, errors',
          description: 'Returns all sources unless `limit` is given.',
          operationId: 'listSourceHealth',
        },
      },
    )
