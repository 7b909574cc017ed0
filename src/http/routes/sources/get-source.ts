import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { CRAWLED_VENDORS } from '../../../../adapters/registry'
import { findSource } from '../../../../drizzle/queries/sources/sources'
import { findLookUp } from '../../../../drizzle/seed/seed'
import { configSchemaOf } from '../../../scrape/configure-source'
import { authorization, principalOf } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, sourceSlug } from '../../schemas'
import {
  agriculturalOnly,
  loadLimits,
  sourceFields,
  vendorConfig,
  vendorGrade,
  withGrade,
  withoutTokens,
} from './schemas'

const sourceDetails = Type.Object(
  {
    ...sourceFields,
    vendor_grade: vendorGrade,
    agricultural_only: agriculturalOnly,
    vendor_config: Type.Optional(vendorConfig("Only for admins: the vendor's settings for this county.")),
    load_limits: Type.Optional(loadLimits),
    can_crawl: Type.Boolean({
      description: 'Whether the source can be crawled. This requires a vendor that serves whole layers.',
      examples: [true],
    }),
    vendor_config_schema: Type.Optional(
      Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
        description: 'Only for admins: the JSON Schema of `vendor_config`; null if the vendor has no adapter.',
        examples: [{ type: 'object' }],
      }),
    ),
    look_up: Type.Optional(
      Type.String({
        description: 'Only for admins: what to look up before the source is activated, and where. Absent: nothing.',
        examples: ['Open base_url and check that it is the treasurer of the county in Colorado.'],
      }),
    ),
  },
  { ...closed, component: 'SourceDetails', description: 'A county portal with all fields.' },
)

export const getSourceRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/sources/:source',
    async ({ params, request }) => {
      // vendor_config may contain secrets of the operator, such as an app token or the URL of a portal's service.
      const withSettings = principalOf(request).capability === 'admin'
      const found = await findSource(sql, params.source, { withSettings })
      if (found === null) throw new HttpError(404, 'not found')
      const schema = configSchemaOf(found.vendor)
      const settings = { vendor_config_schema: schema, look_up: findLookUp(params.source, found.vendor) ?? undefined }
      const ofAdmins = withSettings ? `,${JSON.stringify(settings).slice(1, -1)}` : ''
      const body = withSettings ? withGrade(found) : withoutTokens(withGrade(found))
      return jsonResponse(`${body.slice(0, -1)},"can_crawl":${CRAWLED_VENDORS.includes(found.vendor)}${ofAdmins}}`)
    },
    {
      needs: 'read',
      params: Type.Object({ source: sourceSlug }),
      response: { 200: sourceDetails, ...keyedErrors, ...notFound },
      detail: {
        tags: ['sources'],
        summary: 'Get one source',
        description: 'Admins also get `vendor_config`, its schema and `load_limits`.',
        operationId: 'getSource',
      },
    },
  )
