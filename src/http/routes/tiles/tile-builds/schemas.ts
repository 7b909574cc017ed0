import { Type } from '@sinclair/typebox'
import { filterBody } from '../../../convention/parameters/filter-body'
import { parcelFilterFields } from '../../../convention/parameters/parcel-filter'
import { at, atOrNull, closed, countOrNull, idOf, nullable, oneOf, textOf, textOrNull, WHO } from '../../../schemas'

/** The layer that the app's maps show. It has every parcel, and the tiles role keeps it up to date. */
export const LAYER = 'parcels'

export const layer = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: '^[a-z][a-z0-9_-]*$',
  description: 'Name of the layer, and of its archive.',
  byDefault: LAYER,
  examples: ['farms'],
})

export const tileFilter = filterBody(parcelFilterFields, {
  component: 'TileFilter',
  description:
    'Which parcels are drawn: the parameters of `GET /v1/parcels` without a place. All conditions must hold.',
  examples: [{ county: 'Larkspur', agricultural: true }],
})

const drawn = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Which parcels are drawn, by the parameters of `GET /v1/parcels`. Empty: all.',
  examples: [{ county: 'Larkspur', agricultural: true }],
})

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

export const build = Type.Object(
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
    filter: drawn,
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

export const request = Type.Object(
  { requested_at: at('When it was requested.'), requested_by: textOf(requestedBy, 'pk_1a2b3'), filter: drawn },
  { ...closed, component: 'TileBuildRequest', description: 'A requested build that has not started.' },
)

export const progress = Type.Object(
  { id: idOf('build'), started_at: at('When it started.'), share, parcels, tiles },
  { ...closed, component: 'TileBuildProgress', description: 'A running build.' },
)
