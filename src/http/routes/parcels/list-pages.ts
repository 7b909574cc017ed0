import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listPages } from '../../../../drizzle/queries/pages/list-pages'
import { authorization } from '../../callers/auth'
import { listResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { at, closed, count, countOf, keyedErrors, PAGE_HASH, parcelKey, textOf, textOrNull } from '../../schemas'

/** A parcel has two good pages and the failures of 30 days. More than this is unusual. */
const MAX_PAGES = 500

const keptPage = Type.Object(
  {
    hash: textOf('Identifies the responses: equal responses about a parcel have the same hash.', PAGE_HASH),
    fetched_at: at('When the portal last sent these responses, or said that they are unchanged.'),
    outcome: textOf('`done`, or the code of the failure.', 'done'),
    message: textOrNull('Why the scrape failed; null if it did not.', 'no "Owner" on the page'),
    adapter: textOf('The adapter that requested the pages.', 'arcgis-rest'),
    version: textOf('Version of the service that requested them.', '0.1.0'),
    answers: countOf('Number of responses of the portal.', 2),
    size_bytes: countOf('Compressed size.', 8_214),
  },
  { ...closed, component: 'KeptPage', description: 'The responses of a portal to one scrape.' },
)

export const listPagesRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/parcels/:source/:id/pages',
      async ({ params }) => listResponse('pages', await listPages(sql, { ...params, limit: MAX_PAGES })),
      {
        needs: 'admin',
        params: parcelKey,
        response: {
          200: Type.Object({ count, pages: Type.Array(keptPage, { description: 'Newest first.' }) }),
          ...keyedErrors,
        },
        detail: {
          tags: ['parcels'],
          summary: 'List the kept pages of a parcel',
          description:
            'The pages of the last two different good scrapes, and those of failed scrapes of the last 30 days, as long as there is space. Also works for a parcel that is not stored. Admins only.',
          operationId: 'listPages',
        },
      },
    )
