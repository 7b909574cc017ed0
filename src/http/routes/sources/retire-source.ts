import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { restoreSource, retireSource, type SourceOrder } from '../../../orders/retire-source'
import { authorization, principalOf } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, sourceSlug, textOrNull, UUID_EXAMPLE } from '../../schemas'

const sourceOrder = Type.Object(
  {
    source: sourceSlug,
    load_id: textOrNull(
      'The load that retires its parcels; null if it has none. Its undo brings them back.',
      UUID_EXAMPLE,
    ),
    work_id: textOrNull(
      'The work that this request queued. `GET /v1/work/{id}` shows its progress. Null: there was nothing to do.',
      UUID_EXAMPLE,
    ),
  },
  { ...closed, component: 'SourceOrder', description: 'A source was retired or restored.' },
)

const toBody = (source: string, { loadId, workId }: SourceOrder): string =>
  JSON.stringify({ source, load_id: loadId, work_id: workId })

export const retireSourceRoutes = ({ sql, authenticator, log }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .delete(
      '/sources/:source',
      async ({ params: { source }, request }) => {
        const order = await retireSource(sql, source, requesterOf(request).name)
        log.info({ source, ...order, by: principalOf(request).actor }, 'a source was retired')
        return jsonResponse(toBody(source, order))
      },
      {
        needs: 'admin',
        params: Type.Object({ source: sourceSlug }),
        response: { 200: sourceOrder, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['sources'],
          summary: 'Retire a source',
          description:
            'It is no longer scraped or listed, and its queued and running jobs are cancelled. A worker retires its parcels: they disappear from search, tiles and lists, and stay in the history. Nothing is deleted: `POST /v1/sources/{source}/restore` brings all of it back. Repeating the request changes nothing. 409: a load of the source is running.',
          operationId: 'retireSource',
        },
      },
    )
    .post(
      '/sources/:source/restore',
      ({ params: { source }, request, once }) =>
        once(async (tx) => {
          const order = await restoreSource(tx, source, requesterOf(request).name)
          log.info({ source, ...order, by: principalOf(request).actor }, 'a source was restored')
          return jsonResponse(toBody(source, order))
        }),
      {
        needs: 'admin',
        idempotent: true,
        params: Type.Object({ source: sourceSlug }),
        response: { 200: sourceOrder, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['sources'],
          summary: 'Restore a retired source',
          description:
            'The source is listed again, inactive, and a worker brings its parcels back. Cancelled jobs stay cancelled. Repeating the request changes nothing. 409: a load of the source is running, such as the one that retires its parcels.',
          operationId: 'restoreSource',
        },
      },
    )
