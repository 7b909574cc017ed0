import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { updateSource } from '../../../../drizzle/queries/sources/sources'
import { addSource } from '../../../orders/add-source'
import { authorization, principalOf } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors } from '../../schemas'
import { attribution, license, ownFields, vendorConfig } from './schemas'
import { sourceWithConfig } from './update-source'

export const addSourceRoute = ({ sql, authenticator, allowPrivateSources, log }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/sources',
      ({ body, request, once }) =>
        once(async (tx) => {
          const { source, state, county_name, vendor, base_url = '', vendor_config = {}, ...rest } = body
          const added = {
            source,
            state,
            vendor,
            countyName: county_name,
            baseUrl: base_url,
            vendorConfig: vendor_config,
          }
          await addSource(tx, added, { allowPrivateSources })
          const row = await updateSource(tx, source, rest)
          log.info({ source, vendor, by: principalOf(request).actor }, 'a source was added')
          return jsonResponse(row ?? '', { status: 201 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        body: Type.Object(
          {
            source: Type.String({
              pattern: '^[a-z0-9][a-z0-9_-]{0,99}$',
              takes: 'a slug of 1 to 100 characters: a-z, 0-9, - and _, beginning with a letter or digit',
              description: 'Slug of the source. It is part of the URLs of its parcels and cannot be changed.',
              examples: ['or-larkspur'],
            }),
            state: ownFields.state,
            county_name: ownFields.county_name,
            vendor: ownFields.vendor,
            base_url: Type.Optional(ownFields.base_url),
            vendor_config: Type.Optional(
              vendorConfig(
                "The vendor's settings for this county. If omitted, set them before you activate the source.",
              ),
            ),
            license: Type.Optional(license),
            attribution: Type.Optional(attribution),
          },
          {
            ...closed,
            description: 'The source.',
            examples: [{ source: 'or-larkspur', state: 'OR', county_name: 'Larkspur', vendor: 'file' }],
          },
        ),
        response: { 201: sourceWithConfig, ...keyedErrors, 409: errorBody },
        detail: {
          tags: ['sources'],
          summary: 'Add a source',
          description:
            'The source is inactive, so nothing is scraped. `base_url` can be left out only with the vendor `file`. 409: the slug is taken, also by a retired source.',
          operationId: 'addSource',
        },
      },
    )
