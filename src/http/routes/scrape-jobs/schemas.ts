import { Type } from '@sinclair/typebox'
import { JOB_PRIORITIES, JOB_STATUSES } from '../../../../drizzle/schema/values'
import {
  at,
  atOrNull,
  closed,
  count,
  countOf,
  countOrNull,
  idOf,
  next,
  oneOf,
  orderedParcelId,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
} from '../../schemas'

export const JOB_EXAMPLE = {
  id: '019b76da-8c00-7000-8000-000000000001',
  source: 'sample-county',
  source_parcel_id: '12-0345-0670',
}
export const status = oneOf(JOB_STATUSES, {
  description: 'Status of the job. `done` and `error` are final.',
  examples: ['queued'],
})
const durationMs = countOrNull('Run time in milliseconds; null if it has not ended or never ran.', 1_840)

export const job = Type.Object(
  {
    id: idOf('job'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    vendor: textOf('The adapter that scrapes it.', 'arcgis-rest'),
    status,
    priority: oneOf(JOB_PRIORITIES, {
      description:
        "A vendor's `high` priority jobs run first. `high` if a caller is waiting for the job, otherwise `normal`.",
      examples: ['high'],
    }),
    error_message: textOrNull(
      'Why the last attempt failed. Starts with `cancelled by` if the job was cancelled.',
      'timeout: gis.larkspur.example did not answer within 60 s',
    ),
    attempts: countOf('Number of attempts.', 1),
    created_at: at('Time when it was requested.'),
    updated_at: at('Time when it last changed or was requested again.'),
    started_at: atOrNull('Start of the last attempt; null if not started.'),
    finished_at: atOrNull('Time when it ended; null if not ended.'),
    duration_ms: durationMs,
  },
  { ...closed, component: 'Job', description: 'A scrape of one parcel.' },
)

export const attempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt.', examples: [1] }),
    outcome: textOrNull(
      '`done`, or the kind of failure: `throttled`, `blocked`, `timeout`, `page_changed`, `worker_lost`, `cancelled` ...; null while running.',
      'throttled',
    ),
    error_message: textOrNull(
      'Why it failed.',
      'the property page of gis.larkspur.example returned status 429: too many requests',
    ),
    started_at: atOrNull('Start time.'),
    ended_at: atOrNull('End time; null while running.'),
    duration_ms: durationMs,
  },
  { ...closed, component: 'JobAttempt', description: 'One attempt of a job.' },
)

export const jobPage = Type.Object({
  count,
  jobs: Type.Array(job, { description: 'Newest first.' }),
  next,
})

export const order = Type.Object(
  { source: sourceSlug, source_parcel_id: orderedParcelId },
  {
    ...closed,
    component: 'ScrapeOrder',
    description: 'A parcel to scrape.',
    examples: [{ source: JOB_EXAMPLE.source, source_parcel_id: JOB_EXAMPLE.source_parcel_id }],
  },
)
export const orders = Type.Array(order, { minItems: 1, maxItems: 1_000 })
export const queuedJob = Type.Object(
  { id: idOf('job'), source: sourceSlug, source_parcel_id: sourceParcelId },
  { component: 'QueuedJob', description: 'The job of a requested parcel.', examples: [JOB_EXAMPLE] },
)

export const jobKey = Type.Object({
  id: Type.String({ description: 'A job id (UUID).', examples: [JOB_EXAMPLE.id] }),
})
