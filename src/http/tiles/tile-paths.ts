/* Elysia's routes cannot describe paths with a file extension, so these OpenAPI entries are written by hand. */

import { FILE_HEADERS } from '../schemas'

const layer = {
  name: 'layer',
  in: 'path',
  required: true,
  schema: {
    type: 'string',
    pattern: '^[a-z][a-z0-9_-]{0,62}$',
    description: 'Name of the layer.',
    example: 'parcels',
  },
}
const hash = {
  name: 'hash',
  in: 'path',
  required: true,
  schema: {
    type: 'string',
    pattern: '^[0-9a-f]{16}$',
    description: "First 16 hex digits of the SHA-256 of the archive's bytes.",
    example: '0123456789abcdef',
  },
}
const coordinate = (name: string, maximum: number, description: string, example: number) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'integer', minimum: 0, maximum, description, example },
})
const bytes = (contentType: string) => ({
  content: { [contentType]: { schema: { type: 'string', format: 'binary' } } },
})
const NOT_MODIFIED = { description: 'Not modified: it still matches If-None-Match.' }
const errors = Object.fromEntries(['404', '500', '503'].map((status) => [status, {}]))

export const tilePaths = {
  '/tiles/{layer}/{hash}.pmtiles': {
    get: {
      tags: ['tiles'],
      summary: 'A PMTiles archive, or a range of it',
      description:
        'The URL is in the manifest. An archive never changes, so cache it. A single range returns 206; several ranges return the whole archive. HEAD, If-None-Match and If-Range are supported, from any origin.',
      operationId: 'tileArchive',
      'x-headers': FILE_HEADERS,
      security: [],
      parameters: [
        layer,
        hash,
        {
          name: 'Range',
          in: 'header',
          required: false,
          schema: { type: 'string', description: 'Requested bytes (RFC 9110, 14.2).', example: 'bytes=0-16383' },
        },
      ],
      responses: {
        200: { description: 'The whole archive.', ...bytes('application/vnd.pmtiles') },
        206: { description: 'The requested range.', ...bytes('application/vnd.pmtiles') },
        304: NOT_MODIFIED,
        416: {},
        ...errors,
      },
    },
  },
  '/tiles/{layer}.json': {
    get: {
      tags: ['tiles'],
      summary: 'TileJSON of a layer',
      description: 'TileJSON 3.0.0, for clients that load single tiles instead of an archive.',
      operationId: 'tileJson',
      'x-headers': { 200: ['ETag'], 304: ['ETag'] },
      security: [],
      parameters: [layer],
      responses: {
        200: {
          description: 'TileJSON of the newest archive.',
          content: {
            'application/json': {
              schema: {
                component: 'TileJson',
                description: 'TileJSON 3.0.0.',
                type: 'object',
                required: ['tilejson', 'tiles', 'minzoom', 'maxzoom', 'bounds', 'vector_layers'],
                properties: {
                  tilejson: { type: 'string', description: 'TileJSON version.', enum: ['3.0.0'] },
                  tiles: {
                    type: 'array',
                    description: 'URL template of the tiles.',
                    items: {
                      type: 'string',
                      example: 'https://parcels.example/tiles/parcels/{z}/{x}/{y}.mvt?v=0123456789abcdef',
                    },
                  },
                  minzoom: { type: 'integer', description: 'Lowest zoom.', example: 10 },
                  maxzoom: { type: 'integer', description: 'Highest zoom.', example: 15 },
                  bounds: {
                    type: 'array',
                    minItems: 4,
                    maxItems: 4,
                    items: { type: 'number' },
                    description: 'west, south, east, north',
                    example: [-123.5, 44.9, -122.9, 45.4],
                  },
                  vector_layers: {
                    type: 'array',
                    description: 'Layers and their fields.',
                    items: {
                      type: 'object',
                      additionalProperties: true,
                      example: { id: 'parcels', fields: { source_parcel_id: 'String' } },
                    },
                  },
                },
                additionalProperties: true,
              },
            },
          },
        },
        304: NOT_MODIFIED,
        ...errors,
      },
    },
  },
  '/tiles/{layer}/{z}/{x}/{y}.mvt': {
    get: {
      tags: ['tiles'],
      summary: 'One vector tile',
      description:
        'Mapbox Vector Tile 2. Returns 204 if the tile has no parcels, and 404 if the archive does not have this zoom.',
      operationId: 'tile',
      'x-headers': { 200: ['ETag'], 204: ['ETag'], 304: ['ETag'] },
      security: [],
      parameters: [
        layer,
        coordinate('z', 26, 'Zoom.', 14),
        coordinate('x', 2 ** 26 - 1, 'Column, from the west.', 2594),
        coordinate('y', 2 ** 26 - 1, 'Row, from the north.', 5860),
        {
          name: 'v',
          in: 'query',
          required: false,
          schema: {
            type: 'string',
            description: 'Hash of the archive to read. TileJSON includes it, so tiles can be cached forever.',
          },
        },
      ],
      responses: {
        200: { description: 'The tile.', ...bytes('application/vnd.mapbox-vector-tile') },
        204: { description: 'The tile has no parcels.' },
        304: NOT_MODIFIED,
        ...errors,
      },
    },
  },
}
