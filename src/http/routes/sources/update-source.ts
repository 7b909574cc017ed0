import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { configureSource } from '../../../scrape/configure-source'
import { authorization } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, sourceSlug } from '../../schemas'
import { active, attribution, license, loadLimits, ownFields, sourceFields, vendorConfig } from './schemas'

export const sourceWithConfig = Type.Object(
  {
    ...sourceFields,
    vendor_config: vendorConfig("The vendor's settings for this county."),
    load_limits: loadLimits,
  },
  { ...closed, component: 'SourceWithConfig', description: 'A county portal, with its settings.' },
)

export const updateSourceRoute = ({ sql, authenticator, allowPrivateSources }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
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
          vendor: Type.Optional(ownFields.vendor),
          base_url: Type.Optional(ownFields.base_url),
          state: Type.Optional(ownFields.state),
          county_name: Type.Optional(ownFields.county_name),
          active: Type.Optional(active),
          vendor_config: Type.Optional(
            vendorConfig("Replaces the whole `vendor_config`. It must match the vendor's schema."),
          ),
          load_limits: Type.Optional(loadLimits),
          license: Type.Optional(license),
          attribution: Type.Optional(attribution),
        },
        { ...closed, minProperties: 1, description: 'Fields to change.', examples: [{ active: true }] },
      ),
      response: { 200: sourceWithConfig, ...keyedErrors, ...notFound, 409: errorBody },
      detail: {
        tags: ['sources'],
        summary: 'Change, activate or deactivate a source',
        description:
          'Omitted fields keep their values. The slug never changes. If the vendor changes, `vendor_config` must fit the new one. A source can be activated only if its `vendor_config` is valid; the error lists all problems, one per line. 409: the source is retired. 409 `not_proved`: the vendor has grade C, and the source must be proved first (`POST /v1/sources/{source}/proof`).',
        operationId: 'updateSource',
      },
    },
  )
