import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findPublishedTiles, listTileBuilds } from '../../../drizzle/queries/tile-builds'
import { KEPT_ARCHIVES } from '../../../tiles-build/publish'
import { buildTilesNow } from '../../services/build-tiles-now'
import { authorization } from '../auth'
import type { Deps } from '../deps'
import { errorBody } from '../errors'
import { idempotency } from '../idempotency'
import { jsonResponse } from '../json'
import { namedFor } from '../named-for'
import { requesterOf } from '../requester-of'
import { closed, keyedErrors, limit, nullable, oneOf, query, timestamp, uuid, WHO } from '../schemas'
import { describeArchive, tileArchive } from './tiles'

const LAYER = 'parcels'

const share = nullable(
  Type.Number({ minimum: 0, maximum: 1, description: 'How far it is; null before the first word of it.' }),
)
const count = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])
const momentOrNull = Type.Union([timestamp, Type.Null()])
const requestedBy = Type.String({ description: `Who asked for it: ${WHO}.`, examples: ['pk_1a2b3'] })

const build = Type.Object(
  {
    id: uuid,
    layer: Type.String({ examples: [LAYER] }),
    state: oneOf(['building', 'published', 'retired', 'failed', 'unchanged'], {
      description:
        '`published`: what maps draw from. `retired`: a newer one has taken its place. `unchanged`: it came out as the published one.',
      examples: ['published'],
    }),
    started_at: timestamp,
    finished_at: momentOrNull,
    requested_by: nullable(requestedBy),
    share,
    parcels: count,
    tiles: count,
    bytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    url: nullable(Type.String({ description: 'Of the archive, as long as it is kept.' })),
    error: nullable(Type.String()),
  },
  closed,
)

const state = Type.Object(
  {
    manifest: Type.Union([tileArchive, Type.Null()], {
      description: 'What maps draw from; null before the first build.',
    }),
    requested: Type.Union([Type.Object({ requested_at: timestamp, requested_by: requestedBy }, closed), Type.Null()], {
      description: 'A build that was asked for and has not begun.',
    }),
    building: Type.Union(
      [Type.Object({ id: uuid, started_at: timestamp, share, parcels: count, tiles: count }, closed), Type.Null()],
      { description: 'The build that runs.' },
    ),
    count: Type.Integer(),
    builds: Type.Array(build, { description: 'The newest first.' }),
  },
  closed,
)

export const tileBuildRoutes = ({ sql, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
      '/admin/tiles',
      async ({ query: { limit = 50 }, request }) => {
        const [published, { requested, building, builds }] = await Promise.all([
          findPublishedTiles(sql, LAYER),
          listTileBuilds(sql, LAYER, { kept: KEPT_ARCHIVES, limit }),
        ])
        const manifest = published && JSON.stringify(describeArchive(baseUrl, LAYER, published))
        const rows = builds.map(({ hash, body }) => {
          const url = hash === null ? null : `${baseUrl}/tiles/${LAYER}/${hash}.pmtiles`
          return `${body.slice(0, -1)},"url":${JSON.stringify(url)}}`
        })
        const text = `{"manifest":${manifest},"requested":${requested},"building":${building},"count":${rows.length},"builds":[${rows.join(',')}]}`
        return jsonResponse(await namedFor(sql, request, text))
      },
      {
        needs: 'admin',
        query: query({ limit: limit(500, 50) }),
        response: { 200: state, ...keyedErrors },
        detail: {
          tags: ['tiles'],
          summary: 'The archive that maps draw from, the build that runs, and those before',
          operationId: 'listTileBuilds',
        },
      },
    )
    .post(
      '/admin/tiles/build',
      async ({ request }) => {
        await buildTilesNow(sql, LAYER, requesterOf(request).name)
        return jsonResponse(JSON.stringify({ layer: LAYER, state: 'requested' }), { status: 202 })
      },
      {
        needs: 'admin',
        idempotent: true,
        response: {
          202: Type.Object({ layer: Type.String({ examples: [LAYER] }), state: Type.Literal('requested') }, closed),
          409: errorBody,
          ...keyedErrors,
        },
        detail: {
          tags: ['tiles'],
          summary: 'Build the tiles now',
          description:
            'The tiles role does, wherever it runs; `/v1/events` tells how far it is. 409: a build runs, or is asked for already.',
          operationId: 'buildTiles',
        },
      },
    )
