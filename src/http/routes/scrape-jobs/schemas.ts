import { Type } from '@sinclair/typebox'
import { JOB_PRIORITIES, JOB_STATUSES } from '../../../../drizzle/schema/scrape-jobs'
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
  description: 'How far the job is; `done` and `error` are its ends.',
  examples: ['queued'],
})
const durationMs = countOrNull('How long it ran, in milliseconds; null: it has not ended, or never ran.', 1_840)

export const job = Type.Object(
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

export const attempt = Type.Object(
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

export const jobPage = Type.Object({
  count,
  jobs: Type.Array(job, { description: 'The newest first.' }),
  next,
})

export const order = Type.Object(
  { source: sourceSlug, source_parcel_id: sourceParcelId },
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
  { component: 'QueuedJob', description: 'The job of a parcel that was ordered.', examples: [JOB_EXAMPLE] },
)

export const jobKey = Type.Object({
  id: Type.String({ description: 'A job id (UUID).', examples: [JOB_EXAMPLE.id] }),
})
