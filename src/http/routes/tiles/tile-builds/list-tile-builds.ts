import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listTileBuilds, listTileLayers } from '../../../../../drizzle/queries/tiles/list-tile-builds'
import { findPublishedTiles } from '../../../../../drizzle/queries/tiles/published-tiles'
import { KEPT_ARCHIVES } from '../../../../../tiles-build/publish/publish'
import { authorization } from '../../../callers/auth'
import { namedFor } from '../../../callers/named-for'
import { jsonResponse } from '../../../convention/body/json'
import type { Deps } from '../../../deps'
import { closed, count, keyedErrors, limit, query } from '../../../schemas'
import { describeArchive, tileArchive } from '../tiles'
import { build, LAYER, layer, progress, request } from './schemas'

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
    layers: Type.Array(Type.String({ examples: [LAYER] }), {
      description: 'All layers that have been built or are requested.',
      examples: [[LAYER, 'farms']],
    }),
  },
  closed,
)

export const listTileBuildsRoute = ({ sql, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/admin/tiles',
    async ({ query: { layer = LAYER, limit = 50 }, request }) => {
      const [published, { requested, building, builds }, layers] = await Promise.all([
        findPublishedTiles(sql, layer),
        listTileBuilds(sql, layer, { kept: KEPT_ARCHIVES, limit }),
        listTileLayers(sql),
      ])
      const manifest = published && JSON.stringify(describeArchive(baseUrl, layer, published))
      const rows = builds.map(({ hash, body }) => {
        const url = hash === null ? null : `${baseUrl}/tiles/${layer}/${hash}.pmtiles`
        return `${body.slice(0, -1)},"url":${JSON.stringify(url)}}`
      })
      const text = `{"manifest":${manifest},"requested":${requested},"building":${building},"count":${rows.length},"builds":[${rows.join(',')}],"layers":${JSON.stringify(layers)}}`
      return jsonResponse(await namedFor(sql, request, text))
    },
    {
      needs: 'admin',
      query: query({ layer: t.Optional(layer), limit: limit(500, 50) }),
      response: { 200: state, ...keyedErrors },
      detail: {
        tags: ['tiles'],
        summary: 'Get the published archive, the running build and earlier builds of a layer',
        description: '`/v1/events` reports the progress of a build.',
        operationId: 'listTileBuilds',
      },
    },
  )
