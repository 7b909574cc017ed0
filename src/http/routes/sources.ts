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

export const cadence = oneOf(CADENCES, { description: 'How often it is refreshed.', examples: ['annual'] })

export const countyFields = {
  source: sourceSlug,
  state: textOf('State of the county: its 2-letter code.', 'OR'),
  county_name: textOf('Name of the county.', 'Larkspur'),
  vendor: textOf('The adapter that scrapes it.', 'arcgis-rest'),
}
export const active = Type.Boolean({ description: 'Whether the scheduler may scrape it.', examples: [true] })
export const nextDueAt = at('When the next refresh is due.')
export const agriculturalOnly = Type.Boolean({
  description: 'Only agricultural parcels are refreshed.',
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
  last_full_scrape_at: atOrNull('When all of it was last scraped; null: never.'),
  last_known_data_as_of: textOrNull('How current its data is, often a year; null: not known.', '2026'),
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
      description: 'Whether its vendor gives whole layers: then it can be scraped in full by a crawl.',
      examples: [true],
    }),
    vendor_config_schema: Type.Optional(
      Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
        description:
          'Only for admins: the JSON Schema that vendor_config is checked by; null when there is no adapter for the vendor.',
        examples: [{ type: 'object' }],
      }),
    ),
  },
  { ...closed, component: 'SourceDetails', description: 'A county portal, with everything that is known of it.' },
)
const sourceList = Type.Object({
  count,
  sources: Type.Array(source, { description: 'By slug.' }),
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
            t.Boolean({
              description: 'Only sources that the scheduler may scrape, or only the others.',
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
          summary: 'All sources, each with its cadence',
          description: 'All rows in one answer, unless `limit` is given. Filters can be combined.',
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
        response: { 200: sourceDetails, ...keyedErrors, ...notFound },
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
            active: Type.Optional(active),
            vendor_config: Type.Optional(
              vendorConfig('Replaces the whole vendor_config. It must fit the schema of the vendor.'),
            ),
          },
          { ...closed, minProperties: 1, description: 'What is to change.', examples: [{ active: true }] },
        ),
        response: { 200: sourceWithConfig, ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'Switch a source on or off, or configure it',
          description:
            'What is left out stays. A source is switched on only with a `vendor_config` that its vendor takes; all that is wrong with it is told, one problem a line.',
          operationId: 'updateSource',
        },
      },
    )
