import { type Static, Type } from '@sinclair/typebox'

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

/** The content of a file, and what loading it would do. Nothing is written. */
export const filePreview = Type.Object({
  format: Type.String({ description: 'The format of the file.', examples: ['shapefile'] }),
  crs: Type.Object(
    {
      name: nullable(Type.String({ description: 'Null: it is not known.' })),
      notes: Type.Array(Type.String(), { description: 'Datum shifts and their accuracy.' }),
      question: nullable(
        Type.String({
          description: 'Why a load of the file would be refused, and what to answer before; null: it would not be.',
        }),
      ),
    },
    { description: 'The coordinate system that the boundaries are in.' },
  ),
  asks: nullable(
    Type.Union([Type.Literal('layer'), Type.Literal('encoding')], {
      description: 'The setting without which the file cannot be read; nothing was read. Null: none.',
    }),
  ),
  layers: Type.Array(Type.String(), {
    description:
      'The layers of the file, or the files of the archive, if `asks` is `layer`: name the one that has the parcels. Otherwise empty.',
    examples: [[]],
  }),
  columns: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['OWNER1'] }),
      samples: Type.Array(Type.String(), { description: 'Up to 3 different values.' }),
      filled: Type.Number({ description: 'Share of the first rows that have a value, from 0 to 1.' }),
      fields: Type.Array(Type.String(), {
        description: 'The fields that the map reads from it.',
        examples: [['owner_name']],
      }),
    }),
  ),
  preset: nullable(Type.String({ description: 'The schema of a state that was named or recognized.' })),
  map: Type.Record(Type.String(), Type.String(), {
    description: 'Field of a parcel → expression over columns: given, of the preset, or guessed.',
    examples: [{ source_parcel_id: 'PIN', acreage: 'SQFT/43560' }],
  }),
  missing_id: Type.Boolean({
    description: 'No column may be the id of a parcel. Nothing was checked: add source_parcel_id to the map.',
  }),
  rows: Type.Object({
    read: Type.Integer(),
    is_all: Type.Boolean({ description: 'False: the file has more rows than were read.' }),
    parcels: Type.Integer({ description: 'Parcels that would be loaded.' }),
    rejected: Type.Integer(),
    merged: Type.Integer(),
    without_boundary: Type.Integer(),
    points: Type.Integer({ description: 'Of those without a boundary: parcels with a longitude and latitude.' }),
    repaired: Type.Integer({ description: 'Boundaries that were repaired.' }),
  }),
  rejects: Type.Array(
    Type.Object({
      count: Type.Integer(),
      examples: Type.Array(Type.Object({ place: Type.String(), id: Type.String(), reason: Type.String() })),
    }),
    {
      description:
        'Why rows would be rejected, the most frequent reason first. Reasons that differ only in values count as one.',
    },
  ),
  sample: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'The first parcels, by the names of their fields, without boundaries.',
  }),
  bbox: nullable(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'West, south, east and north of the boundaries and points that were read.',
    }),
  ),
  warnings: Type.Array(Type.String()),
  error: nullable(Type.String({ description: 'Why reading ended early, for example damage in the file.' })),
})

export type FilePreview = Static<typeof filePreview>
