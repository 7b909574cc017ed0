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
    parcel_count: countOf('Parcels that are stored.', 5_000),
    queued: countOf('Jobs that wait.', 12),
    running: countOf('Jobs that run.', 4),
    errors_24h: countOf('Jobs and full scrapes that ended as errors in the last 24 hours.', 0),
    last_success_at: atOrNull('When a job last ended well; null: never.'),
    last_error_at: atOrNull('When a job last ended as an error; null: never.'),
    cadence,
    next_due_at: nextDueAt,
  },
  { ...closed, component: 'SourceHealth', description: 'How a source does.' },
)

const errorHistory = Type.Object(
  {
    counted_up_to: at('What ended later is not counted yet.'),
    count,
    sources: Type.Array(
      Type.Object(
        {
          source_slug: sourceSlug,
          days: Type.Array(
            Type.Object(
              {
                day: textOf('The day, in UTC.', '2026-01-02'),
                finished: countOf('Jobs and full scrapes that ended.', 40),
                errors: countOf('Those of them that ended as errors.', 2),
              },
              { ...closed, component: 'SourceDay', description: 'How the jobs of one day ended.' },
            ),
            { description: 'Every day, the oldest first.' },
          ),
        },
        { ...closed, component: 'SourceErrorHistory', description: 'How the jobs of a source ended, day by day.' },
      ),
      { description: 'By slug.' },
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
              description: 'How many days: today and those before.',
              byDefault: 14,
              examples: [14],
            }),
          ),
        }),
        response: { 200: errorHistory, ...keyedErrors },
        detail: {
          tags: ['sources'],
          summary: 'How the jobs and full scrapes of every source ended, day by day',
          description: 'Of sources that had any. Counted every five minutes.',
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
            sources: Type.Array(sourceHealth, { description: 'By slug.' }),
            next: nextIfLimited,
          }),
          ...keyedErrors,
        },
        detail: {
          tags: ['sources'],
          summary: 'How every source does: parcels, jobs, errors',
          description: 'All sources in one answer, unless `limit` is given.',
          operationId: 'listSourceHealth',
        },
      },
    )
