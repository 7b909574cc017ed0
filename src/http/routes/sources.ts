import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { findSource, listSources } from '../../../drizzle/queries/sources'
import { CADENCES } from '../../../drizzle/schema/source-refresh-policies'
import { configureSource } from '../../services/configure-source'
import { authorization, principalOf } from '../auth'
import { conditionalJson } from '../conditional'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { jsonResponse, wholeOrPageJson } from '../json'
import { parseState } from '../parse-state'
import {
  CONDITIONAL,
  closed,
  keyedErrors,
  limit,
  nextIfLimited,
  notFound,
  nullable,
  oneOf,
  query,
  sourceSlug,
  timestamp,
  vendorName,
} from '../schemas'

export const cadence = oneOf(CADENCES, { examples: ['annual'] })

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
const configuredSource = Type.Object(
  {
    ...sourceFields,
    agricultural_only: Type.Boolean(),
    vendor_config: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: "Only for admins: the vendor's settings for this county." },
      ),
    ),
    can_crawl: Type.Boolean({
      description: 'Whether its vendor gives whole layers: then it can be scraped in full by a crawl.',
    }),
    vendor_config_schema: Type.Optional(
      Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
        description:
          'Only for admins: the JSON Schema that vendor_config is checked by; null when there is no adapter for the vendor.',
      }),
    ),
  },
  closed,
)
const sourceList = Type.Object({ count: Type.Integer(), sources: Type.Array(source), next: nextIfLimited })

export const sourceRoutes = ({ sql, authenticator, allowPrivateSources }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/sources',
      async ({ query: { state, vendor = null, active = null, limit, after = null }, request }) => {
        const filter = { state: parseState(state), vendor, active }
        const list = (limit: number | null) => listSources(sql, { ...filter, after, limit })
        return conditionalJson(request, await wholeOrPageJson('sources', limit, list, ({ source }) => source))
      },
      {
        needs: 'read',
        query: query({
          state: t.Optional(
            t.String({ description: 'Only sources of this state: its 2-letter code.', examples: ['OR'] }),
          ),
          vendor: t.Optional(
            Type.String({
              ...vendorName,
              description: 'Only sources of this vendor. One that nobody knows finds nothing.',
            }),
          ),
          active: t.Optional(
            t.Boolean({ description: 'Only sources that the scheduler may scrape, or only the others.' }),
          ),
          limit: limit(500),
          after: t.Optional(sourceSlug),
        }),
        response: { 200: sourceList, ...keyedErrors },
        detail: {
          ...CONDITIONAL,
          tags: ['sources'],
          summary: 'All sources, each with its cadence',
          operationId: 'listSources',
        },
      },
    )
    .get(
      '/sources/:source',
      async ({ params, request }) => {
        // It may hold what only operators should see (an app token, the address of a portal's service).
        const withConfig = principalOf(request).capability === 'admin'
        const found = await findSource(sql, params.source, { withConfig })
        if (found === null) throw new HttpError(404, 'not found')
        const schema = findAdapter(found.vendor)?.config ?? null
        const ofAdmins = withConfig ? `,"vendor_config_schema":${JSON.stringify(schema)}` : ''
        return jsonResponse(
          `${found.body.slice(0, -1)},"can_crawl":${CRAWLED_VENDORS.includes(found.vendor)}${ofAdmins}}`,
        )
      },
      {
        needs: 'read',
        params: Type.Object({ source: sourceSlug }),
        response: { 200: configuredSource, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'One source',
          description: 'Admins also get `vendor_config` and its schema.',
          operationId: 'getSource',
        },
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
