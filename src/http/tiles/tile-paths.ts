/* Paths whose names carry an ending, which Elysia's routes cannot say: written by hand for the OpenAPI document. */

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
    description: "Begins the SHA-256 of the archive's bytes.",
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
const NOT_MODIFIED = { description: 'The caller has it already (If-None-Match).' }
const errors = Object.fromEntries(['404', '500', '503'].map((status) => [status, {}]))

export const tilePaths = {
  '/tiles/{layer}/{hash}.pmtiles': {
    get: {
      tags: ['tiles'],
      summary: 'A PMTiles archive, or a range of it',
      description:
        'What the manifest names, unchanged for ever: cache it. One range from either end is answered with 206, several with all of it. HEAD, If-None-Match and If-Range work, from any origin.',
      operationId: 'tileArchive',
      'x-headers': { 200: ['ETag', 'Accept-Ranges'], 206: ['ETag', 'Content-Range'], 304: ['ETag'] },
      security: [],
      parameters: [
        layer,
        hash,
        {
          name: 'Range',
          in: 'header',
          required: false,
          schema: { type: 'string', description: 'Which bytes (RFC 9110, 14.2).', example: 'bytes=0-16383' },
        },
      ],
      responses: {
        200: { description: 'All of it.', ...bytes('application/vnd.pmtiles') },
        206: { description: 'The range.', ...bytes('application/vnd.pmtiles') },
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
      description: 'TileJSON 3.0.0, for clients that take single tiles rather than an archive.',
      operationId: 'tileJson',
      'x-headers': { 200: ['ETag'], 304: ['ETag'] },
      security: [],
      parameters: [layer],
      responses: {
        200: {
          description: 'The layer as its newest archive has it.',
          content: {
            'application/json': {
              schema: {
                component: 'TileJson',
                description: 'TileJSON 3.0.0.',
                type: 'object',
                required: ['tilejson', 'tiles', 'minzoom', 'maxzoom', 'bounds', 'vector_layers'],
                properties: {
                  tilejson: { type: 'string', description: 'Version of TileJSON.', enum: ['3.0.0'] },
                  tiles: {
                    type: 'array',
                    description: 'Where tiles are.',
                    items: {
                      type: 'string',
                      example: 'https://parcels.example/tiles/parcels/{z}/{x}/{y}.mvt?v=0123456789abcdef',
                    },
                  },
                  minzoom: { type: 'integer', description: 'The lowest zoom.', example: 10 },
                  maxzoom: { type: 'integer', description: 'The highest zoom.', example: 15 },
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
                    description: 'Layers of the tiles, and their fields.',
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
      description: 'Mapbox Vector Tile 2. No parcel in the tile: 204. A zoom that the archive does not have: 404.',
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
            description: 'The archive to read, as TileJSON puts it in; its tiles can be cached for ever.',
          },
        },
      ],
      responses: {
        200: { description: 'The tile.', ...bytes('application/vnd.mapbox-vector-tile') },
        204: { description: 'No parcel lies in this tile.' },
        304: NOT_MODIFIED,
        ...errors,
      },
    },
  },
}
