import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findPublishedTiles, listTileBuilds } from '../../../drizzle/queries/tiles/tile-builds'
import { KEPT_ARCHIVES } from '../../../tiles-build/publish/publish'
import { buildTilesNow } from '../../orders/build-tiles-now'
import { authorization } from '../callers/auth'
import { namedFor } from '../callers/named-for'
import { requesterOf } from '../callers/requester-of'
import { errorBody } from '../convention/errors'
import { idempotency } from '../convention/idempotency'
import { jsonResponse } from '../convention/json'
import type { Deps } from '../deps'
import {
  at,
  atOrNull,
  closed,
  count,
  countOrNull,
  idOf,
  keyedErrors,
  limit,
  nullable,
  oneOf,
  query,
  textOf,
  textOrNull,
  WHO,
} from '../schemas'
import { describeArchive, tileArchive } from './tiles'

const LAYER = 'parcels'

const share = nullable(
  Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'How far it is, from 0 to 1; null before the first word of it.',
    examples: [0.5],
  }),
)
const parcels = countOrNull('Parcels that are drawn so far.', 5_000)
const tiles = countOrNull('Tiles that are made so far.', 320)
const requestedBy = `Who asked for it: ${WHO}.`

const build = Type.Object(
  {
    id: idOf('build'),
    layer: textOf('The layer that was built.', LAYER),
    state: oneOf(['building', 'published', 'retired', 'failed', 'unchanged'], {
      description:
        '`published`: what maps draw from. `retired`: a newer one has taken its place. `unchanged`: it came out as the published one.',
      examples: ['published'],
    }),
    started_at: at('When it began.'),
    finished_at: atOrNull('When it ended; null: it has not.'),
    requested_by: textOrNull(`${requestedBy} Null: nobody, it was due.`, 'pk_1a2b3'),
    share,
    parcels,
    tiles,
    bytes: countOrNull('Size of the archive.', 1_048_576),
    url: textOrNull(
      'Of the archive, as long as it is kept.',
      'https://parcels.example/tiles/parcels/0123456789abcdef.pmtiles',
    ),
    error: textOrNull('Why it failed.', 'no room on the disk'),
  },
  { ...closed, component: 'TileBuild', description: 'A build of a tile archive.' },
)
const request = Type.Object(
  { requested_at: at('When it was asked for.'), requested_by: textOf(requestedBy, 'pk_1a2b3') },
  { ...closed, component: 'TileBuildRequest', description: 'A build that was asked for and has not begun.' },
)
const progress = Type.Object(
  { id: idOf('build'), started_at: at('When it began.'), share, parcels, tiles },
  { ...closed, component: 'TileBuildProgress', description: 'A build that runs.' },
)

const state = Type.Object(
  {
    manifest: Type.Union([tileArchive, Type.Null()], {
      description: 'What maps draw from; null before the first build.',
    }),
    requested: Type.Union([request, Type.Null()], {
      description: 'A build that was asked for and has not begun; null: none.',
    }),
    building: Type.Union([progress, Type.Null()], { description: 'The build that runs; null: none.' }),
    count,
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
          description: '`/v1/events` tells how far a build is.',
          operationId: 'listTileBuilds',
        },
      },
    )
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
              state: Type.Literal('requested', { description: 'It has not begun.' }),
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
            'The tiles role does, wherever it runs; `/v1/events` tells how far it is. 409: a build runs, or is asked for already.',
          operationId: 'buildTiles',
        },
      },
    )
