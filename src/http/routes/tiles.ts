import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findPublishedTiles } from '../../../drizzle/queries/tile-builds'
import type { Deps } from '../deps'
import { errorBody, HttpError } from '../errors'
import { timestamp } from '../schemas'

const manifest = Type.Object({
  parcels: Type.Object({
    url: Type.String({ examples: ['https://parcels.example/tiles/parcels/0123456789abcdef.pmtiles'] }),
    pmtiles_url: Type.String({ description: 'The url with the scheme that map libraries take.' }),
    updated_at: timestamp,
    size_bytes: Type.Integer(),
  }),
})

export const tileRoutes = ({ sql, baseUrl }: Deps) =>
  new Elysia({ normalize: false }).get(
    '/tiles/manifest.json',
    async () => {
      const tiles = await findPublishedTiles(sql, 'parcels')
      if (tiles === null) throw new HttpError(404, 'no tile archive has been built yet')
      const url = `${baseUrl}/tiles/parcels/${tiles.hash}.pmtiles`
      return Response.json(
        {
          parcels: { url, pmtiles_url: `pmtiles://${url}`, updated_at: tiles.updated_at, size_bytes: tiles.size_bytes },
        },
        { headers: { 'cache-control': 'public, max-age=60, s-maxage=300' } },
      )
    },
    {
      response: { 200: manifest, 404: errorBody, 500: errorBody, 503: errorBody },
      detail: { tags: ['tiles'], summary: 'The tile archive to draw from', operationId: 'tileManifest', security: [] },
    },
  )
