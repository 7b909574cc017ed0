import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listJobs } from '../../../../drizzle/queries/jobs/scrape-jobs'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, pageJson } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { after, keyedErrors, limit, query, sourceParcelId, sourceSlug } from '../../schemas'
import { failureClassName } from '../sources/failure-schemas'
import { jobPage, status } from './schemas'

export const listScrapeJobsRoute = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/scrape-jobs',
    async ({
      query: {
        status = null,
        source = null,
        parcel_id: sourceParcelId = null,
        failure_class: failureClass = null,
        limit = 100,
        after = null,
      },
      request,
    }) => {
      if (failureClass !== null) refuseOtherFilters({ status, source, sourceParcelId })
      const list = (limit: number) => listJobs(sql, { status, source, sourceParcelId, failureClass, after, limit })
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
        failure_class: t.Optional({
          ...failureClassName,
          description: 'Only failed jobs of this class. Needs `source`.',
        }),
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

/** @throws HttpError 400 */
const refuseOtherFilters = ({
  status,
  source,
  sourceParcelId,
}: {
  status: string | null
  source: string | null
  sourceParcelId: string | null
}): void => {
  if (source === null) throw new HttpError(400, 'failure_class needs source')
  if (status !== null && status !== 'error') throw new HttpError(400, 'status must be error if failure_class is given')
  if (sourceParcelId !== null) throw new HttpError(400, 'give either parcel_id or failure_class')
}
