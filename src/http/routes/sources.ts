import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { findSource, listSources } from '../../../drizzle/queries/sources/sources'
import { CADENCES } from '../../../drizzle/schema/source-refresh-policies'
import { configureSource } from '../../scrape/configure-source'
import { authorization, principalOf } from '../callers/auth'
import { callerOf } from '../callers/caller-of'
import { conditionalJson } from '../convention/conditional'
import { HttpError } from '../convention/errors'
import { jsonResponse, wholeOrPageJson } from '../convention/json'
import { parseState } from '../convention/parse-state'
import type { Deps } from '../deps'
import {
  afterName,
  at,
  atOrNull,
  CONDITIONAL,
  closed,
  count,
  keyedErrors,
  limit,
  nextIfLimited,
  notFound,
  oneOf,
  query,
  sourceSlug,
  textOf,
  textOrNull,
  vendorName,
} from '../schemas'

export const cadence = oneOf(CADENCES, { description: 'Refresh interval.', examples: ['annual'] })

export const countyFields = {
  source: sourceSlug,
  state: textOf('State of the county (2-letter code).', 'OR'),
  county_name: textOf('Name of the county.', 'Larkspur'),
  vendor: textOf('The adapter that scrapes it.', 'arcgis-rest'),
}
export const active = Type.Boolean({ description: 'Whether the scheduler may scrape it.', examples: [true] })
export const nextDueAt = at('Due time of the next refresh.')
export const agriculturalOnly = Type.Boolean({
  description: 'Whether only agricultural parcels are refreshed.',
  examples: [false],
})

const sourceFields = {
  ...countyFields,
  base_url: textOf(
    'Address of the portal.',
    'https://gis.larkspur.example/arcgis/rest/services/parcels/FeatureServer/0',
  ),
  active,
  cadence,
  next_due_at: nextDueAt,
  last_full_scrape_at: atOrNull('Time of the last full scrape; null if there was none.'),
  last_known_data_as_of: textOrNull('How current its data is, often a year; null if unknown.', '2026'),
}
const vendorConfig = (description: string) =>
  Type.Object({}, { additionalProperties: true, description, examples: [{ columns: { parcel_id: 'PIN' } }] })

const source = Type.Object(sourceFields, { ...closed, component: 'Source', description: 'A county portal.' })
const sourceWithConfig = Type.Object(
  { ...sourceFields, vendor_config: vendorConfig("The vendor's settings for this county.") },
  { ...closed, component: 'SourceWithConfig', description: 'A county portal, with its settings.' },
)
const sourceDetails = Type.Object(
  {
    ...sourceFields,
    agricultural_only: agriculturalOnly,
    vendor_config: Type.Optional(vendorConfig("Only for admins: the vendor's settings for this county.")),
    can_crawl: Type.Boolean({
      description: 'Whether a crawl can scrape the source in full. This requires a vendor that serves whole layers.',
      examples: [true],
    }),
    vendor_config_schema: Type.Optional(
      Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
        description: 'Only for admins: the JSON Schema of `vendor_config`; null if the vendor has no adapter.',
        examples: [{ type: 'object' }],
      }),
    ),
  },
  { ...closed, component: 'SourceDetails', description: 'A county portal with all fields.' },
)
const sourceList = Type.Object({
  count,
  sources: Type.Array(source, { description: 'Ordered by slug.' }),
  next: nextIfLimited,
})

export const sourceRoutes = ({ sql, listTurns, authenticator, allowPrivateSources }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/sources',
      async ({ query: { state, vendor = null, active = null, limit, after = null }, request }) => {
        const filter = { state: parseState(state), vendor, active }
        const list = (limit: number | null) => listSources(sql, { ...filter, after, limit })
        return listTurns.run(callerOf(request), async () =>
          conditionalJson(request, await wholeOrPageJson('sources', limit, list, ({ source }) => source)),
        )
      },
      {
        needs: 'read',
        query: query({
          state: t.Optional(t.String({ description: 'Only sources of this state (2-letter code).', examples: ['OR'] })),
          vendor: t.Optional(
            Type.String({
              ...vendorName,
              description: 'Only sources of this vendor. An unknown vendor returns no sources.',
            }),
          ),
          active: t.Optional(
            t.Boolean({
              description: '`true`: only sources that the scheduler may scrape. `false`: only the others.',
              examples: [true],
            }),
          ),
          limit: limit(500),
          after: afterName(sourceSlug),
        }),
        response: { 200: sourceList, ...keyedErrors },
        detail: {
          ...CONDITIONAL,
          tags: ['sources'],
          summary: 'List sources with their cadence',
          description: 'Returns all sources unless `limit` is given. Filters can be combined.',
          operationId: 'listSources',
        },
      },
    )
    .get(
      '/sources/:source',
      async ({ params, request }) => {
        // vendor_config may contain secrets of the operator, such as an app token or the address of a portal's service.
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
        response: { 200: sourceDetails, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'Get one source',
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
            active: Type.Optional(active),
            vendor_config: Type.Optional(
              vendorConfig("Replaces the whole `vendor_config`. It must match the vendor's schema."),
            ),
          },
          { ...closed, minProperties: 1, description: 'Fields to change.', examples: [{ active: true }] },
        ),
        response: { 200: sourceWithConfig, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'Activate, deactivate or configure a source',
          description:
            'Omitted fields keep their values. A source can be activated only if its `vendor_config` is valid; the error lists all problems, one per line.',
          operationId: 'updateSource',
        },
      },
    )
