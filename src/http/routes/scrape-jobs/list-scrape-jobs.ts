import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listJobs } from '../../../../drizzle/queries/jobs/scrape-jobs'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, pageJson } from '../../convention/json'
import type { Deps } from '../../deps'
import { after, keyedErrors, limit, query, sourceParcelId, sourceSlug } from '../../schemas'
import { jobPage, status } from './schemas'

export const listScrapeJobsRoute = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/scrape-jobs',
    async ({
      query: { status = null, source = null, parcel_id: sourceParcelId = null, limit = 100, after = null },
      request,
    }) => {
      const list = (limit: number) => listJobs(sql, { status, source, sourceParcelId, after, limit })
      return listTurns.run(callerOf(request), async () =>
        jsonResponse(await namedFor(sql, request, await pageJson('jobs', limit, list, ({ id }) => id))),
      )
    },
    {
      needs: 'read',
      query: query({
        status: t.Optional(status),
        source: t.Optional(sourceSlug),
        parcel_id: t.Optional(
          Type.String({
            ...sourceParcelId,
            description: 'A source_parcel_id. Matches parcels of all sources unless `source` is given.',
          }),
        ),
        limit: limit(500, 100),
        after,
      }),
      response: { 200: jobPage, ...keyedErrors },
      detail: {
        tags: ['scrape-jobs'],
        summary: 'List scrape jobs, newest first',
        description: 'Filters can be combined. Finished jobs are kept for 30 days.',
        operationId: 'listScrapeJobs',
      },
    },
  )
