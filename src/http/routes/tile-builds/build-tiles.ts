import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { buildTilesNow } from '../../../orders/build-tiles-now'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors, textOf } from '../../schemas'
import { LAYER } from './schemas'

export const buildTilesRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/admin/tiles/build',
      ({ request, once }) =>
        once(async (tx) => {
          await buildTilesNow(tx, LAYER, requesterOf(request).name)
          return jsonResponse(JSON.stringify({ layer: LAYER, state: 'requested' }), { status: 202 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        response: {
          202: Type.Object(
            {
              layer: textOf('The layer that will be built.', LAYER),
              state: Type.Literal('requested', { description: 'The build has not started.' }),
            },
            closed,
          ),
          409: errorBody,
          ...keyedErrors,
        },
        detail: {
          tags: ['tiles'],
          summary: 'Build the tiles now',
          description:
            'The tiles role runs the build; `/v1/events` reports its progress. 409: a build is already requested or running.',
          operationId: 'buildTiles',
        },
      },
    )
