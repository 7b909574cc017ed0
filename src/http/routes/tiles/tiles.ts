import { Type } from '@sinclair/typebox'
import { type Context, Elysia } from 'elysia'
import Negotiator from 'negotiator'
import { ServiceError } from '../../../../core/service-error'
import { findPublishedTiles, type PublishedTiles } from '../../../../drizzle/queries/tiles/published-tiles'
import { createTileReader } from '../../../../tiles-build/archive/tile-reader'
import { type ArchiveName, isArchiveName } from '../../../../tiles-build/store/archive-name'
import { errorBody, HttpError } from '../../convention/errors'
import { bodyInOneWrite } from '../../convention/response/body-in-one-write'
import { conditionalJson, matchesEtag } from '../../convention/response/conditional'
import { datasetVersionHeader, leastVersionOf } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { at, CONDITIONAL, countOf, countOrNull, TELLS_VERSION, textOf } from '../../schemas'
import { CORS, IMMUTABLE, METHODS, MOVING, PREFLIGHT } from '../../tiles/tile-headers'

export const tileArchive = Type.Object(
  {
    url: textOf('URL of the archive.', 'https://parcels.example/tiles/parcels/0123456789abcdef.pmtiles'),
    pmtiles_url: textOf(
      'The same URL with the `pmtiles://` scheme, for map libraries.',
      'pmtiles://https://parcels.example/tiles/parcels/0123456789abcdef.pmtiles',
    ),
    updated_at: at('Time of publication.'),
    size_bytes: countOf('Size in bytes.', 1_048_576),
    dataset_version: countOrNull(
      'The archive has every change up to this version; null if it is older than the change log.',
      70_412,
    ),
  },
  { component: 'TileArchive', description: 'A PMTiles archive.' },
)
const manifest = Type.Object(
  { parcels: tileArchive },
  { component: 'TileManifest', description: 'The archive of each layer.' },
)

export const describeArchive = (
  baseUrl: string,
  layer: string,
  { hash, updated_at, size_bytes, dataset_version }: PublishedTiles,
) => {
  const url = `${baseUrl}/tiles/${layer}/${hash}.pmtiles`
  return { url, pmtiles_url: `pmtiles://${url}`, updated_at, size_bytes, dataset_version }
}

const noBuild = (layer: string) => new HttpError(404, `no tile archive has been built yet for the layer ${layer}`)

/**
 * These match the raw, undecoded path. Any other path below /tiles is not a route, so no name can escape the store.
 */
const TILE_JSON = /^\/tiles\/([a-z][a-z0-9_-]*)\.json$/
const TILE = /^\/tiles\/([a-z][a-z0-9_-]*)\/(\d{1,2})\/(\d{1,9})\/(\d{1,9})\.mvt$/

export const tileRoutes = ({ reads, datasetVersion, baseUrl, tileStore }: Deps) => {
  const reader = createTileReader(tileStore)
  const findPublished = (request: Request, layer: string) =>
    reads.run({ id: null, atLeast: () => leastVersionOf(request) }, (db) => findPublishedTiles(db, layer))

  const answerTileJson = async (request: Request, layer: string): Promise<Response> => {
    const published = await findPublished(request, layer)
    if (published === null) throw noBuild(layer)
    const { hash } = published
    // With the hash, tiles can be cached forever, and a map keeps reading the same build.
    const description = await reader.describe({ layer, hash }, `${baseUrl}/tiles/${layer}/{z}/{x}/{y}.mvt?v=${hash}`)
    return conditionalJson(request, JSON.stringify(description), { 'cache-control': MOVING })
  }

  /** Serves a tile from the requested build while it is kept, otherwise from the published build. */
  const answerTile = async (
    request: Request,
    layer: string,
    [z = 0, x = 0, y = 0]: number[],
    version: string | null,
  ): Promise<Response> => {
    const asked = version === null ? null : { layer, hash: version }
    const answer = async (archive: ArchiveName) => {
      const tile = await reader.readTile(archive, { z, x, y })
      return tileResponse(request, archive.hash, tile, archive.hash === version ? IMMUTABLE : MOVING)
    }
    if (asked !== null && isArchiveName(asked)) {
      try {
        return await answer(asked)
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
      }
    }
    const published = await findPublished(request, layer)
    if (published === null) throw noBuild(layer)
    return answer({ layer, hash: published.hash })
  }

  const answerTilePath = ({ request, path, query }: Pick<Context, 'request' | 'path' | 'query'>) => {
    const tile = TILE.exec(path)
    if (tile !== null) {
      const [, layer = '', ...coordinates] = tile
      return () => answerTile(request, layer, coordinates.map(Number), query.v ?? null)
    }
    const layer = TILE_JSON.exec(path)?.[1]
    return layer === undefined ? null : () => answerTileJson(request, layer)
  }

  return new Elysia({ normalize: false })
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/tiles/manifest.json',
      async ({ request, set }) => {
        Object.assign(set.headers, CORS)
        const tiles = await findPublished(request, 'parcels')
        if (tiles === null) throw noBuild('parcels')
        const body = { parcels: describeArchive(baseUrl, 'parcels', tiles) }
        return conditionalJson(request, JSON.stringify(body), { 'cache-control': MOVING })
      },
      {
        tellsVersion: true,
        response: { 200: manifest, 404: errorBody, 500: errorBody, 503: errorBody },
        detail: {
          ...CONDITIONAL,
          ...TELLS_VERSION,
          tags: ['tiles'],
          summary: 'Get the URL of the current tile archive',
          description: 'The URL changes with each build. Cached for five minutes at the edge.',
          operationId: 'tileManifest',
          security: [],
        },
      },
    )
    .all(
      '/tiles/*',
      async (context) => {
        const { request, set } = context
        const answer = answerTilePath(context)
        if (answer === null) throw new HttpError(404, 'no such route')
        Object.assign(set.headers, CORS)
        if (request.method === 'GET' || request.method === 'HEAD') return answer()
        set.headers.allow = METHODS
        if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT })
        throw new HttpError(405, `${request.method} is not allowed here; allowed: ${METHODS}`)
      },
      // Elysia's routes cannot describe paths with a file extension; tilePaths documents them.
      { parse: 'none', detail: { hide: true } },
    )
}

/**
 * Sends tiles as stored in the archive, gzipped, unless the caller does not accept gzip. A tile without parcels is 204: map libraries
 * draw nothing and log no error. A tile outside the archive's zooms is 404.
 */
const tileResponse = (
  request: Request,
  hash: string,
  tile: Uint8Array<ArrayBuffer> | 'empty' | 'outside',
  cacheControl: string,
): Response => {
  if (tile === 'outside') throw new HttpError(404, 'no such tile: the TileJSON of the layer lists its zooms')
  const etag = `W/"${hash}"`
  const headers = { etag, 'cache-control': cacheControl, vary: 'Accept-Encoding' }
  if (matchesEtag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  if (tile === 'empty') return new Response(null, { status: 204, headers })
  const accepted = new Negotiator({ headers: { 'accept-encoding': request.headers.get('accept-encoding') ?? '' } })
  const type = { 'content-type': 'application/vnd.mapbox-vector-tile' }
  return accepted.encoding(['gzip', 'identity']) === 'gzip'
    ? new Response(bodyInOneWrite(tile), { headers: { ...headers, ...type, 'content-encoding': 'gzip' } })
    : new Response(bodyInOneWrite(Bun.gunzipSync(tile)), { headers: { ...headers, ...type } })
}
