import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { findAttempts, findJob, listJobs } from '../../../drizzle/queries/jobs/scrape-jobs'
import { JOB_PRIORITIES, JOB_STATUSES } from '../../../drizzle/schema/scrape-jobs'
import { cancelJob, isJobId } from '../../orders/cancel-job'
import { enqueueAgCounty, MOST_AG_PARCELS } from '../../orders/enqueue-ag-county'
import { enqueueScrapes } from '../../orders/enqueue-scrapes'
import { retryJob } from '../../orders/retry-job'
import { authorization, principalOf } from '../callers/auth'
import { callerOf } from '../callers/caller-of'
import { namedFor } from '../callers/named-for'
import { requesterOf } from '../callers/requester-of'
import { errorBody, HttpError } from '../convention/errors'
import { idempotency } from '../convention/idempotency'
import { jsonResponse, pageJson } from '../convention/json'
import type { Deps } from '../deps'
import {
  after,
  at,
  atOrNull,
  closed,
  count,
  countOf,
  countOrNull,
  idOf,
  keyedErrors,
  limit,
  next,
  notFound,
  oneOf,
  query,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
  WHO,
} from '../schemas'

const JOB_EXAMPLE = {
  id: '019b76da-8c00-7000-8000-000000000001',
  source: 'sample-county',
  source_parcel_id: '12-0345-0670',
}
const status = oneOf(JOB_STATUSES, {
  description: 'How far the job is; `done` and `error` are its ends.',
  examples: ['queued'],
})
const durationMs = countOrNull('How long it ran, in milliseconds; null: it has not ended, or never ran.', 1_840)

const job = Type.Object(
  {
    id: idOf('job'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    vendor: textOf('The adapter that scrapes it.', 'arcgis-rest'),
    status,
    priority: oneOf(JOB_PRIORITIES, {
      description:
        "Of a vendor's jobs those of high priority go first: `high` where somebody waits for it, else `normal`.",
      examples: ['high'],
    }),
    error_message: textOrNull(
      'Why the last try failed; `cancelled by ...` marks a cancelled job.',
      'timeout: gis.larkspur.example did not answer within 60 s',
    ),
    attempts: countOf('How often a worker took it.', 1),
    created_at: at('When it was ordered.'),
    updated_at: at('When it last changed, or was ordered again.'),
    started_at: atOrNull('When its last try began; null: it has not begun.'),
    finished_at: atOrNull('When it ended; null: it has not.'),
    duration_ms: durationMs,
  },
  { ...closed, component: 'Job', description: 'A scrape of one parcel.' },
)

const attempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'Which try it was.', examples: [1] }),
    outcome: textOrNull(
      '`done`, or what it failed of: `throttled`, `blocked`, `timeout`, `page_changed`, `worker_lost`, `cancelled` ...; null while it runs.',
      'throttled',
    ),
    error_message: textOrNull(
      'Why it failed.',
      'the property page of gis.larkspur.example returned status 429: too many requests',
    ),
    started_at: atOrNull('When it began.'),
    ended_at: atOrNull('When it ended; null while it runs.'),
    duration_ms: durationMs,
  },
  { ...closed, component: 'JobAttempt', description: 'One try of a job.' },
)

const jobPage = Type.Object({
  count,
  jobs: Type.Array(job, { description: 'The newest first.' }),
  next,
})

const order = Type.Object(
  { source: sourceSlug, source_parcel_id: sourceParcelId },
  {
    ...closed,
    component: 'ScrapeOrder',
    description: 'A parcel to scrape.',
    examples: [{ source: JOB_EXAMPLE.source, source_parcel_id: JOB_EXAMPLE.source_parcel_id }],
  },
)
const orders = Type.Array(order, { minItems: 1, maxItems: 1_000 })
const queuedJob = Type.Object(
  { id: idOf('job'), source: sourceSlug, source_parcel_id: sourceParcelId },
  { component: 'QueuedJob', description: 'The job of a parcel that was ordered.', examples: [JOB_EXAMPLE] },
)

const jobKey = Type.Object({
  id: Type.String({ description: 'A job id (UUID).', examples: [JOB_EXAMPLE.id] }),
})

export const scrapeJobRoutes = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
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
              description: 'A source_parcel_id; of all sources that have one such, unless `source` is given.',
            }),
          ),
          limit: limit(500, 100),
          after,
        }),
        response: { 200: jobPage, ...keyedErrors },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Scrape jobs, newest first',
          description: 'Filters can be combined. Jobs that have ended are kept for 30 days.',
          operationId: 'listScrapeJobs',
        },
      },
    )
    .get(
      '/scrape-jobs/:id',
      async ({ params: { id }, request }) => {
        const body = isJobId(id) ? await findJob(sql, id) : null
        if (body === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, body))
      },
      {
        needs: 'read',
        params: jobKey,
        response: { 200: job, ...keyedErrors, ...notFound },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'One scrape job',
          description: '`/v1/events` tells each change of a job as it happens.',
          operationId: 'getScrapeJob',
        },
      },
    )
    .get(
      '/scrape-jobs/:id/attempts',
      async ({ params: { id }, request }) => {
        const requestedBy = principalOf(request).capability === 'admin'
        const body = isJobId(id) ? await findAttempts(sql, id, { requestedBy }) : null
        if (body === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, body))
      },
      {
        needs: 'read',
        params: jobKey,
        response: {
          200: Type.Object(
            {
              requested_by: Type.Optional(
                textOrNull(`For admins: who asked for the job: ${WHO}; null for the scheduler.`, 'pk_1a2b3'),
              ),
              attempts: Type.Array(attempt, { description: 'The first one first.' }),
            },
            closed,
          ),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Every try of one scrape job',
          description:
            'The first one first. A job that was cancelled before a worker took it has none; neither do failures of before this route was there.',
          operationId: 'listScrapeAttempts',
        },
      },
    )
    .post(
      '/scrape-jobs/:id/retry',
      ({ params: { id }, request, once }) =>
        once(async (tx) => jsonResponse(await namedFor(tx, request, await retryJob(tx, id, requesterOf(request))))),
      {
        needs: 'admin',
        idempotent: true,
        params: jobKey,
        response: { 200: job, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Queue the parcel of a job that has ended again',
          description:
            'With the same overrides. The answer is the job that waits now, which is another one; a parcel that is queued already keeps its job. 409: the job has not ended.',
          operationId: 'retryScrapeJob',
        },
      },
    )
    .post(
      '/scrape-jobs',
      ({ body, request, once }) => {
        const wanted = [body]
          .flat()
          .map(({ source, source_parcel_id }) => ({ source, sourceParcelId: source_parcel_id }))
        return once(async (tx) => {
          const queued = await enqueueScrapes(tx, wanted, requesterOf(request))
          const jobs = queued.map(({ id, source, sourceParcelId }) => ({
            id,
            source,
            source_parcel_id: sourceParcelId,
          }))
          return jsonResponse(JSON.stringify({ count: jobs.length, jobs }))
        })
      },
      {
        needs: 'enqueue',
        idempotent: true,
        body: Type.Union([order, orders], { description: 'A parcel, or 1 to 1,000 of them.' }),
        response: {
          200: Type.Object({
            count,
            jobs: Type.Array(queuedJob, { description: 'One for each parcel.' }),
          }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Queue scrapes of parcels',
          description:
            'A parcel that is named twice, or queued already, has one job: sending the same again changes nothing but `updated_at`. A call of up to 100 parcels goes before refreshes and larger calls (`priority`: `high`), and brings forward what is queued already. When a source is unknown, nothing is queued.',
          operationId: 'enqueueScrapes',
        },
      },
    )
    .post(
      '/scrape-jobs/enqueue-ag-county',
      ({ body: { source, limit, skip_existing }, request, once }) =>
        once(async (tx) => {
          const wanted = { source, limit, skipExisting: skip_existing }
          const counts = await enqueueAgCounty(tx, wanted, requesterOf(request))
          const { considered, enqueued, skippedFresh, alreadyQueued } = counts
          return jsonResponse(
            JSON.stringify({
              source,
              considered,
              enqueued,
              skipped_fresh: skippedFresh,
              already_queued: alreadyQueued,
            }),
          )
        }),
      {
        needs: 'enqueue',
        idempotent: true,
        body: Type.Object(
          {
            source: sourceSlug,
            limit: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: MOST_AG_PARCELS,
                description: 'At most this many are queued.',
                byDefault: MOST_AG_PARCELS,
                examples: [500],
              }),
            ),
            skip_existing: Type.Optional(
              Type.Boolean({
                description: "Leave out what was scraped within the source's cadence.",
                byDefault: true,
                examples: [true],
              }),
            ),
          },
          {
            ...closed,
            description: 'The county, and how much of it.',
            examples: [{ source: JOB_EXAMPLE.source, limit: 500 }],
          },
        ),
        response: {
          200: Type.Object(
            {
              source: sourceSlug,
              considered: countOf('Agricultural parcels looked at.', 420),
              enqueued: countOf('Jobs that were queued.', 400),
              skipped_fresh: countOf("Left out: scraped within the source's cadence.", 15),
              already_queued: countOf('Left out: queued already.', 5),
            },
            closed,
          ),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['scrape-jobs'],
          summary: "Queue scrapes of a county's agricultural parcels",
          description:
            'Those that were scraped within the cadence of the source are left out, unless `skip_existing` is false.',
          operationId: 'enqueueAgCounty',
        },
      },
    )
    .delete(
      '/scrape-jobs/:id',
      async ({ params: { id }, request }) =>
        jsonResponse(await namedFor(sql, request, await cancelJob(sql, id, principalOf(request).actor))),
      {
        needs: 'admin',
        params: jobKey,
        response: { 200: job, ...keyedErrors, ...notFound },
        detail: {
          tags: ['scrape-jobs'],
          summary: 'Cancel a queued or running job',
          description: 'A job that runs is stopped, and what it brings is thrown away. 404 for a job that has ended.',
          operationId: 'cancelScrapeJob',
        },
      },
    )
