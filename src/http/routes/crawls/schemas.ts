import { Type } from '@sinclair/typebox'
import { JOB_STATUSES } from '../../../../drizzle/schema/values'
import {
  at,
  atOrNull,
  closed,
  countOf,
  countOrNull,
  idOf,
  oneOf,
  sourceSlug,
  textOf,
  textOrNull,
  WHO,
  waitFields,
} from '../../schemas'

/** Maximum number of rejected records in a response. With a wrong setting, a crawl can reject every record of the layer. */
export const MAX_REJECTS = 100

const crawlFields = {
  id: idOf('crawl'),
  source: sourceSlug,
  vendor: textOf('The vendor of the source.', 'arcgis-rest'),
  status: oneOf(JOB_STATUSES, {
    description:
      '`done` and `error` are final. A crawl that is `done` may be held: `GET /v1/loads/{id}` with its id says whether it is applied.',
    examples: ['running'],
  }),
  requested_by: textOrNull(
    `Who requested it: ${WHO}; \`operator\` for the command line; null for the scheduler.`,
    'pk_1a2b3',
  ),
  attempts: countOf('How many times a worker has claimed it.', 1),
  pages: countOf('Pages read so far.', 12),
  inserted: countOf('Parcels that it adds. They are visible when the crawl is applied.', 1_100),
  updated: countOf('Parcels that it changes.', 60),
  unchanged: countOf('Parcels that it does not change.', 40),
  rejected: countOf('Records rejected.', 1),
  total: countOrNull(
    'Number of records that the layer reports; null before the first page, or if the layer reports none.',
    2_400,
  ),
  error_code: textOrNull(
    'Error code of the last failed attempt: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled` ... Cleared when a page is read.',
    'throttled',
  ),
  error_message: textOrNull(
    'Why the last attempt failed. A cancelled crawl has `cancelled by ...`.',
    'the features page of gis.larkspur.example returned status 503',
  ),
  created_at: at('When it was requested.'),
  started_at: atOrNull('When it started; null if it has not started.'),
  finished_at: atOrNull('When it ended; null if it has not ended.'),
  ...waitFields,
}

export const crawl = Type.Object(crawlFields, {
  ...closed,
  component: 'Crawl',
  description:
    'A scrape of a whole layer, page by page. If the source has parcels, the pages are staged, and are compared and applied together after the last one.',
})

export const crawlWithRejects = Type.Object(
  {
    ...crawlFields,
    rejects: Type.Array(
      Type.Object(
        {
          what: textOf('The record, as the portal identifies it.', 'OID 8'),
          reason: textOf('Why it was rejected.', 'PIN is empty'),
        },
        { ...closed, component: 'CrawlReject', description: 'A rejected record.' },
      ),
      { description: `The first ${MAX_REJECTS} rejected records.` },
    ),
  },
  { ...closed, component: 'CrawlWithRejects', description: 'A crawl, with its rejected records.' },
)

export const crawlKey = Type.Object({
  source: sourceSlug,
  id: Type.String({ description: 'A crawl id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})
