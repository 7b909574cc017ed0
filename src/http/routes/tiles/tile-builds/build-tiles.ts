import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { describeFilter } from '../../../../../core/parcels/filter'
import type { RequestedTiles } from '../../../../../drizzle/queries/tiles/requested-tiles'
import { isLayerName } from '../../../../../tiles-build/store/archive-name'
import { buildTilesNow } from '../../../../orders/build-tiles-now'
import { authorization } from '../../../callers/auth'
import { requesterOf } from '../../../callers/requester-of'
import { jsonResponse } from '../../../convention/body/json'
import { errorBody, HttpError } from '../../../convention/errors'
import { idempotency } from '../../../convention/idempotency'
import { toQuery } from '../../../convention/parameters/filter-body'
import { parseParcelFilter } from '../../../convention/parameters/parcel-filter'
import type { Deps } from '../../../deps'
import { closed, keyedErrors, notFound, textOf } from '../../../schemas'
import { LAYER, layer, tileFilter } from './schemas'

const body = Type.Object(
  { layer: Type.Optional(layer), filter: Type.Optional(tileFilter) },
  {
    ...closed,
    description: 'Which layer, and which parcels it draws.',
    examples: [{ layer: 'farms', filter: { county: 'Larkspur', agricultural: true } }],
  },
)

/** @throws HttpError 400 */
const parseRequest = ({ layer = LAYER, filter: conditions = {} }: Static<typeof body>): RequestedTiles => {
  if (!isLayerName(layer)) throw new HttpError(400, `layer must not be ${layer}: choose another name`)
  const filter = parseParcelFilter(toQuery(conditions))
  if (filter.hasGeometry === false)
    throw new HttpError(400, 'filter.has_geometry must not be false: tiles are made of boundaries')
  if (layer === LAYER && Object.keys(describeFilter(filter)).length > 0) {
    throw new HttpError(400, `layer must not be ${LAYER} with a filter: it has every parcel. Name another layer`)
  }
  return { layer, filter }
}

export const buildTilesRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/admin/tiles/build',
      ({ body, request, once }) => {
        const wanted = parseRequest(body ?? {})
        return once(async (tx) => {
          await buildTilesNow(tx, wanted, requesterOf(request).name)
          return jsonResponse(JSON.stringify({ layer: wanted.layer, state: 'requested' }), { status: 202 })
        })
      },
      {
        needs: 'admin',
        idempotent: true,
        body: Type.Union([body, Type.Null()]),
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
          ...notFound,
        },
        detail: {
          tags: ['tiles'],
          summary: 'Build the tiles now',
          description:
            'The tiles role runs the build; `/v1/events` reports its progress. Without a body it builds the layer `parcels`, which the maps of the app show and which always has all parcels. With a filter, it builds another layer with only those parcels. Its tiles are public, at `/tiles/{layer}.json`. The tiles role keeps only the layer `parcels` up to date: request others again when their data has changed. 409: a build of the layer is already requested or running.',
          operationId: 'buildTiles',
        },
      },
    )
