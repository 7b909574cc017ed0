import { Type } from '@sinclair/typebox'
import { closed, count, type WorkKind } from './work-kind'

/** An archive of map tiles. The subject is the layer. */
export const tileBuild = {
  name: 'tile_build',
  payload: Type.Partial(
    Type.Object({
      filter: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Which parcels, by the parameters of `GET /v1/parcels`. Missing: all.',
        examples: [{ land_use: 'RESIDENTIAL', min_value: 250_000 }],
      }),
      parcel_filter: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The same, as the service reads it.',
        examples: [{ landUse: 'RESIDENTIAL', lifecycle: 'listed' }],
      }),
    }),
    { ...closed, title: 'tile_build', description: 'Which parcels are drawn.' },
  ),
  result: Type.Partial(
    Type.Object({
      share: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'How far the build is, from 0 to 1.',
        examples: [0.5],
      }),
      tiles: count('Tiles made so far.', 320),
      hash: Type.String({ description: 'Names the archive.', examples: ['0123456789abcdef'] }),
      is_new: Type.Boolean({ description: 'False: the published archive was already the same.', examples: [true] }),
    }),
    { ...closed, title: 'tile_build' },
  ),
} satisfies WorkKind
