import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { readErrorHistory } from '../../../drizzle/queries/keep-history'
import { listSourceHealth } from '../../../drizzle/queries/source-health'
import { authorization } from '../auth'
import type { Deps } from '../deps'
import { jsonResponse, wholeOrPageJson } from '../json'
import { closed, keyedErrors, limit, nextIfLimited, query, sourceSlug, timestamp } from '../schemas'
import { cadence } from './sources'

const count = Type.Integer({ minimum: 0 })

const sourceHealth = Type.Object(
  {
    source: sourceSlug,
    state: Type.String({ description: 'Two letters.', examples: ['OR'] }),
    county_name: Type.String(),
    vendor: Type.String({ examples: ['arcgis-rest'] }),
    active: Type.Boolean(),
    parcel_count: count,
    queued: count,
    running: count,
    errors_24h: Type.Integer({
      minimum: 0,
      description: 'Jobs and full scrapes that ended as errors in the last 24 hours.',
    }),
    last_success_at: Type.Union([timestamp, Type.Null()]),
    last_error_at: Type.Union([timestamp, Type.Null()]),
    cadence,
    next_due_at: timestamp,
  },
  closed,
)

const errorHistory = Type.Object(
  {
    counted_up_to: timestamp,
    count: Type.Integer(),
    sources: Type.Array(
      Type.Object(
        {
          source_slug: sourceSlug,
          days: Type.Array(
            Type.Object(
              {
                day: Type.String({ description: 'UTC.', examples: ['2026-01-02'] }),
                finished: Type.Integer({ minimum: 0, description: 'Jobs and full scrapes that ended.' }),
                errors: Type.Integer({ minimum: 0, description: 'Those of them that ended as errors.' }),
              },
              closed,
            ),
            { description: 'Every day, the oldest first.' },
          ),
        },
        closed,
      ),
    ),
  },
  closed,
)

export const sourceHealthRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/admin/sources/error-history',
      async ({ query: { days = 14 } }) => jsonResponse(await readErrorHistory(sql, days)),
      {
        needs: 'admin',
        query: query({
          days: t.Optional(
            t.Integer({ minimum: 1, maximum: 30, description: 'Today and the days before (14 when it is left out).' }),
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
      async ({ query: { limit, after } }) =>
        jsonResponse(
          await wholeOrPageJson(
            'sources',
            limit,
            (limit) => listSourceHealth(sql, { after: after ?? null, limit }),
            ({ source }) => source,
          ),
        ),
      {
        needs: 'read',
        query: query({ limit: limit(500), after: t.Optional(sourceSlug) }),
        response: {
          200: Type.Object({ count: Type.Integer(), sources: Type.Array(sourceHealth), next: nextIfLimited }),
          ...keyedErrors,
        },
        detail: {
          tags: ['sources'],
          summary: 'How every source does: parcels, jobs, errors',
          operationId: 'listSourceHealth',
        },
      },
    )
