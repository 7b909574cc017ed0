import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listSources } from '../../../drizzle/queries/sources'
import { CADENCES } from '../../../drizzle/schema/source-refresh-policies'
import { configureSource } from '../../services/configure-source'
import { authorization } from '../auth'
import { conditionalJson } from '../conditional'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { jsonResponse, pageJson } from '../json'
import { closed, keyedErrors, limit, next, notFound, nullable, query, sourceSlug, timestamp } from '../schemas'

export const cadence = Type.Union(
  CADENCES.map((value) => Type.Literal(value)),
  { examples: ['annual'] },
)

const sourceFields = {
  source: sourceSlug,
  state: Type.String({ description: 'Two letters.', examples: ['OR'] }),
  county_name: Type.String(),
  vendor: Type.String({ description: 'The adapter that scrapes it.', examples: ['arcgis-rest'] }),
  base_url: Type.String(),
  active: Type.Boolean({ description: 'Whether the scheduler may scrape it.' }),
  cadence,
  next_due_at: timestamp,
  last_full_scrape_at: Type.Union([timestamp, Type.Null()]),
  last_known_data_as_of: nullable(Type.String()),
}
const source = Type.Object(sourceFields, closed)
const sourceWithConfig = Type.Object(
  { ...sourceFields, vendor_config: Type.Object({}, { description: "The vendor's settings for this county." }) },
  closed,
)
const sourceList = Type.Object({ count: Type.Integer(), sources: Type.Array(source), next })

export const sourceRoutes = ({ sql, authenticator, allowPrivateSources }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/sources',
      async ({ query: { limit, after }, request }) =>
        conditionalJson(
          request,
          await pageJson(
            'sources',
            limit,
            ({ limit }) => listSources(sql, { after: after ?? null, limit }),
            ({ source }) => source,
          ),
        ),
      {
        needs: 'read',
        query: query({ limit: limit(500), after: t.Optional(sourceSlug) }),
        response: { 200: sourceList, ...keyedErrors },
        detail: { tags: ['sources'], summary: 'All sources, each with its cadence', operationId: 'listSources' },
      },
    )
    .patch(
      '/sources/:source',
      async ({ params, body }) => {
        const changed = await configureSource(sql, params.source, body, { allowPrivateSources })
        if (changed === null) throw new HttpError(404, 'not found')
        return jsonResponse(changed)
      },
      {
        needs: 'admin',
        params: Type.Object({ source: sourceSlug }),
        body: Type.Object(
          {
            active: Type.Optional(Type.Boolean()),
            vendor_config: Type.Optional(
              Type.Object({}, { additionalProperties: true, description: 'Replaces the whole vendor_config.' }),
            ),
          },
          { ...closed, minProperties: 1, examples: [{ active: true }] },
        ),
        response: { 200: sourceWithConfig, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'Switch a source on or off, or configure it',
          operationId: 'updateSource',
        },
      },
    )
