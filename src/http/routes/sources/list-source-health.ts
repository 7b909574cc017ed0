import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listSourceHealth } from '../../../../drizzle/queries/sources/source-health'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { jsonResponse, wholeOrPageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import {
  afterName,
  atOrNull,
  closed,
  count,
  countOf,
  keyedErrors,
  limit,
  nextIfLimited,
  query,
  sourceSlug,
} from '../../schemas'
import { problemFields } from './failure-schemas'
import { active, cadence, countyFields, nextDueAt } from './schemas'

const sourceHealth = Type.Object(
  {
    ...countyFields,
    active,
    parcel_count: countOf('Stored parcels.', 5_000),
    queued: countOf('Queued jobs.', 12),
    running: countOf('Running jobs.', 4),
    errors_24h: countOf('Jobs and crawls that failed in the last 24 hours.', 0),
    recent_runs: countOf('How many scrapes `recent_failed` counts: the last 50, or fewer if there were no more.', 50),
    recent_failed: countOf('How many of the last scrapes failed.', 10),
    last_success_at: atOrNull('Time when a job last succeeded; null if none did.'),
    last_error_at: atOrNull('Time when a job last failed; null if none did.'),
    cadence,
    next_due_at: nextDueAt,
    ...problemFields,
  },
  { ...closed, component: 'SourceHealth', description: 'Health of a source.' },
)

export const listSourceHealthRoute = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
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
