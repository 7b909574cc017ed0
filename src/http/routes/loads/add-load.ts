import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { SOURCE_TEXT } from '../../../../core/bounds'
import { fileSettings } from '../../../loads/file-settings'
import { orderFileLoad, orderPreview } from '../../../orders/order-file-load'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, sourceSlug, uuid } from '../../schemas'
import { orderedWork } from './schemas'

const place = {
  file: Type.Optional(Type.String({ ...uuid, description: 'The id of an uploaded file.' })),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SOURCE_TEXT.base_url,
      description: 'The https URL of the file.',
      examples: ['https://county.example/parcels.zip'],
    }),
  ),
}

const settings = Type.Unsafe<Record<string, unknown>>({
  ...fileSettings,
  component: 'FileSettings',
  description: 'How the file is read: the `vendor_config` of a source with the vendor `file`.',
  examples: [{ map: { source_parcel_id: 'PARCELID', owner_name: 'OWNER1' } }],
})

export const addLoadRoutes = ({ sql, authenticator, allowPrivateSources }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '',
      ({ body: { source, file = null, address = null, settings = null, as_of = null }, request, once }) =>
        once(async (tx) => {
          const order = { source, file_id: file, address, settings, asOf: as_of }
          const id = await orderFileLoad(tx, order, requesterOf(request).name, { allowPrivateSources })
          return jsonResponse(JSON.stringify({ work_id: id }), { status: 202 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        body: Type.Object(
          {
            source: sourceSlug,
            ...place,
            settings: Type.Optional(settings),
            as_of: Type.Optional(
              Type.String({
                pattern: '^\\d{4}-\\d\\d-\\d\\d$',
                takes: 'a date, such as 2026-01-31',
                description: 'The date of the data.',
                examples: ['2026-01-31'],
              }),
            ),
          },
          {
            ...closed,
            description: 'The file, and the source that it is loaded into.',
            examples: [{ source: 'or-larkspur', file: '019b76da-8c00-7000-8000-000000000001' }],
          },
        ),
        response: { 202: orderedWork, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['loads'],
          summary: 'Load a file of parcels into a source',
          description:
            'A worker fetches and reads the file. The file lists all parcels of the source unless `settings.complete` is false. A load that would change too much is held. Without `file` and `address`, the file at the `base_url` of a source with the vendor `file` is loaded; without `settings`, its `vendor_config` is used. `result.load_id` of the work is the load. 409: the source is retired, the upload is incomplete, or another file of the source is being loaded.',
          operationId: 'addLoad',
        },
      },
    )
    .post(
      '/preview',
      ({ body: { file = null, address = null, settings = {} }, request, once }) =>
        once(async (tx) => {
          const order = { file_id: file, address, settings }
          const id = await orderPreview(tx, order, requesterOf(request).name, { allowPrivateSources })
          return jsonResponse(JSON.stringify({ work_id: id }), { status: 202 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        body: Type.Object(
          { ...place, settings: Type.Optional(settings) },
          {
            ...closed,
            description: 'The file. It has either `file` or `address`.',
            examples: [{ address: 'https://county.example/parcels.zip' }],
          },
        ),
        response: { 202: orderedWork, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['loads'],
          summary: 'Preview a file of parcels before it is loaded',
          description:
            'A worker reads the first 10,000 rows and stores nothing. `result.preview` of the work has the columns with samples, the field map (guessed where `settings.map` does not say it), the first parcels, and why rows would be rejected.',
          operationId: 'previewLoad',
        },
      },
    )
