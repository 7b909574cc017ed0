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
    description: 'Progress from 0 to 1; null until the first progress report.',
    examples: [0.5],
  }),
)
const parcels = countOrNull('Parcels drawn so far.', 5_000)
const tiles = countOrNull('Tiles created so far.', 320)
const requestedBy = `Who requested it: ${WHO}.`

const build = Type.Object(
  {
    id: idOf('build'),
    layer: textOf('The layer that was built.', LAYER),
    state: oneOf(['building', 'published', 'retired', 'failed', 'unchanged'], {
      description:
        '`published`: maps use this archive. `retired`: a newer archive replaced it. `unchanged`: the result was the same as the published archive.',
      examples: ['published'],
    }),
    started_at: at('When it started.'),
    finished_at: atOrNull('When it ended; null if it has not ended.'),
    requested_by: textOrNull(`${requestedBy} Null if it was due or was started on the command line.`, 'pk_1a2b3'),
    share,
    parcels,
    tiles,
    bytes: countOrNull('Size of the archive.', 1_048_576),
    url: textOrNull(
      'URL of the archive; null if it is not stored.',
      'https://parcels.example/tiles/parcels/0123456789abcdef.pmtiles',
    ),
    error: textOrNull('Why it failed.', 'no space left on the disk'),
  },
  { ...closed, component: 'TileBuild', description: 'A build of a tile archive.' },
)
const request = Type.Object(
  { requested_at: at('When it was requested.'), requested_by: textOf(requestedBy, 'pk_1a2b3') },
  { ...closed, component: 'TileBuildRequest', description: 'A requested build that has not started.' },
)
const progress = Type.Object(
  { id: idOf('build'), started_at: at('When it started.'), share, parcels, tiles },
  { ...closed, component: 'TileBuildProgress', description: 'A running build.' },
)

const state = Type.Object(
  {
    manifest: Type.Union([tileArchive, Type.Null()], {
      description: 'The archive that maps use; null before the first build.',
    }),
    requested: Type.Union([request, Type.Null()], {
      description: 'The requested build that has not started; null if there is none.',
    }),
    building: Type.Union([progress, Type.Null()], { description: 'The running build; null if there is none.' }),
    count,
    builds: Type.Array(build, { description: 'Newest first.' }),
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
          summary: 'Get the published archive, the running build and earlier builds',
          description: '`/v1/events` reports the progress of a build.',
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
