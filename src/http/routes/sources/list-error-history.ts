import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { readErrorHistory } from '../../../../drizzle/queries/tuner/keep-history'
import { authorization } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { at, closed, count, countOf, keyedErrors, query, sourceSlug, textOf } from '../../schemas'

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
                finished: countOf('Jobs and crawls that ended.', 40),
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

export const listErrorHistoryRoute = ({ sql, authenticator }: Deps) =>
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
            'Counts finished and failed jobs and crawls. Sources without any are omitted. Updated every five minutes.',
          operationId: 'listErrorHistory',
        },
      },
    )
