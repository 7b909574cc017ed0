import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { formatCount } from '../../../../core/text/count-noun'
import { findRuns, MAX_RUNS, MAX_RUNS_COUNTED } from '../../../../drizzle/queries/sources/source-runs'
import { authorization } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { at, atOrNull, closed, countOf, idOf, keyedErrors, notFound, sourceSlug, textOrNull } from '../../schemas'
import { failureClassOrNull, failureCount, problemFields } from './failure-schemas'

const runs = Type.Object(
  {
    source: sourceSlug,
    last_success_at: atOrNull('Time of the last good scrape; null if there was none.'),
    ...problemFields,
    runs_counted: countOf(`Number of last runs, ${MAX_RUNS} at most.`, 50),
    failures: Type.Array(failureCount, { description: 'How many of the last runs failed, by class.' }),
    failed_since_success: countOf(
      `Runs that failed after the last good scrape. At most ${formatCount(MAX_RUNS_COUNTED)} are counted.`,
      4,
    ),
    failures_since_success: Type.Array(failureCount, { description: 'The same by class.' }),
    runs: Type.Array(
      Type.Object(
        {
          job_id: Type.Union([idOf('job'), Type.Null()], { description: 'Null: it was a crawl.' }),
          crawl_id: Type.Union([idOf('crawl'), Type.Null()], { description: 'The crawl; null: it was a job.' }),
          source_parcel_id: textOrNull('The parcel; null: it was a crawl.', '71-0923-0184'),
          failure_class: failureClassOrNull('Why it failed; null if it succeeded.'),
          finished_at: at('Time when it ended.'),
        },
        { ...closed, component: 'SourceRun', description: 'A job or a crawl of a source that has ended.' },
      ),
      { description: 'Newest first.' },
    ),
  },
  { ...closed, component: 'SourceRuns', description: 'The last runs of a source, and why they failed.' },
)

export const getRunsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/sources/:source/runs',
    async ({ params }) => {
      const body = await findRuns(sql, params.source)
      if (body === null) throw new HttpError(404, 'not found')
      return jsonResponse(body)
    },
    {
      needs: 'read',
      params: Type.Object({ source: sourceSlug }),
      response: { 200: runs, ...keyedErrors, ...notFound },
      detail: {
        tags: ['sources'],
        summary: 'Get the last runs of a source, and why they failed',
        description:
          'A run is a job or a crawl that has ended. Ended jobs are kept for 30 days. A crawl without a single record failed with `not_found`, and one whose records were all rejected with `page_changed`. One failed crawl is a problem; for jobs, three failures in a row are. This is evaluated every minute.',
        operationId: 'getSourceRuns',
      },
    },
  )
