import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIST_BOUNDS } from '../../../../core/bounds'
import { matchCounts } from '../../../../drizzle/queries/work/kinds/match'
import { JOB_STATUSES } from '../../../../drizzle/schema/values'
import { MATCH_OUTCOMES, MATCH_REASONS } from '../../../../search/match/decide'
import { LIST_FIELDS } from '../../../../search/match/list-row'
import { DECIDING_FIELDS } from '../../../../search/match/row-query'
import { LIST_TYPES } from '../../convention/body/list-body'
import { HttpError } from '../../convention/errors'
import {
  at,
  atOrNull,
  closed,
  countOf,
  countOrNull,
  idOf,
  nullable,
  oneOf,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
  uuid,
} from '../../schemas'

export const matchKey = Type.Object({
  id: Type.String({ description: 'A match id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})

const FIELD = oneOf(LIST_FIELDS, {
  takes: `one of ${LIST_FIELDS.join(', ')}`,
  description: 'What the column contains.',
  examples: ['address'],
})

export const columns = Type.Record(Type.String({ maxLength: 500 }), FIELD, {
  maxProperties: LIST_BOUNDS.columns,
  description: `Maps each column of the list to what it contains: ${LIST_FIELDS.join(', ')}. Other columns are returned unchanged. If an address is in several columns, such as a house number and a street, map each of them to "address". Default: guessed from the names of the columns.`,
  examples: [{ 'Owner name': 'owner', 'Property address': 'address', Town: 'city' }],
})

export const stateFilter = Type.String({
  pattern: '^[A-Za-z]{2}$',
  takes: 'the 2-letter code of a state',
  description: 'Only parcels of this state.',
  examples: ['OR'],
})
export const countyFilter = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Only parcels of this county.',
  examples: ['Larkspur'],
})

/** For the `detail` of a route that takes a list as its body: the media types that docs/openapi/ adds to JSON. */
export const LIST_CONTENT = {
  'x-body': {
    description: 'The list.',
    content: Object.fromEntries(
      [...LIST_TYPES].map(([type, format]) => [
        type,
        {
          schema: { type: 'string' },
          example:
            format === 'csv'
              ? 'address,city,zip\n2982 W 50th Street,Larkspur,97900\n'
              : '{"address":"2982 W 50th Street","zip":"97900"}\n',
        },
      ]),
    ),
  },
} as const

const matchFields = {
  id: idOf('match'),
  status: oneOf(JOB_STATUSES, { description: 'The status. `done` and `error` are final.', examples: ['done'] }),
  upload: Type.Union([uuid, Type.Null()], {
    description: 'The uploaded list. Null: this match retries rows of another match.',
    examples: uuid.examples,
  }),
  retry_of: Type.Union([uuid, Type.Null()], {
    description: 'The match whose rows this one retries; null if it is not a retry.',
    examples: uuid.examples,
  }),
  columns: Type.Union([columns, Type.Null()], {
    description: 'The columns that the request named; null if they were guessed.',
    examples: columns.examples as unknown[],
  }),
  state: nullable(stateFilter),
  county: nullable(countyFilter),
  source: textOrNull('Only parcels of this source.', 'sample-county'),
  rows: countOrNull('Rows of the list; null until it is read.', 2_305),
  done: countOf('Progress: parcels and rows that are done.', 5_000),
  total: countOrNull('Expected final value of `done`; null until the list is read.', 7_305),
  counts: Type.Union([matchCounts, Type.Null()], {
    description: 'Rows by their outcome; null until the list is done.',
    examples: [{ matched: 2_101, tie: 120, no_match: 80, invalid: 4 }],
  }),
  error_code: textOrNull('Why it failed: `bad_input`, `not_found`, `cancelled` ...', 'bad_input'),
  error_message: textOrNull('Error message.', 'the list has no rows'),
  created_at: at('When it was requested.'),
  started_at: atOrNull('When it started.'),
  finished_at: atOrNull('When it ended.'),
  expires_at: at('When it is deleted, with its rows.'),
}

const parcel = Type.Object(
  {
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    situs_address: textOrNull('Street address of the parcel.', '2982 W 50TH ST'),
    situs_city: textOrNull('City of the parcel.', 'LARKSPUR'),
    situs_zip: textOrNull('ZIP code of the parcel.', '97900'),
    owner_name: textOrNull('The owner, as the source writes it.', 'WEBB LINH A'),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'How similar it is, up to 1.', examples: [1] }),
  },
  { ...closed, component: 'MatchedParcel', description: 'A candidate parcel for a row of a list.' },
)

const REASONS = [...Object.keys(MATCH_REASONS), 'unreadable']

export const matchRow = Type.Object(
  {
    row: Type.Integer({ minimum: 1, description: 'The line of the row in the list, from 1.', examples: [2] }),
    outcome: oneOf(MATCH_OUTCOMES, {
      description:
        '`matched`: one parcel is clearly the best match. `tie`: several parcels match equally well, as the units of a condominium do. `no_match`: none is similar enough. `invalid`: the row could not be read.',
      examples: ['matched'],
    }),
    reason: nullable(
      Type.String({
        description: `Why it is not matched: ${REASONS.map((reason) => `\`${reason}\``).join(', ')}. Null: it is matched.`,
        examples: ['several_parcels'],
      }),
    ),
    explanation: textOrNull('`reason` in words.', MATCH_REASONS.several_parcels),
    decided_by: Type.Union([oneOf(DECIDING_FIELDS), Type.Null()], {
      description: 'The field that decided; null if none did.',
      examples: ['address'],
    }),
    score: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
      description: 'How similar the best parcel is: 1 if nothing differs. Null: none is similar.',
      examples: [1],
    }),
    count: countOf('Number of candidate parcels of the row. `parcels` has the first of them.', 1),
    parcels: Type.Array(parcel, {
      maxItems: LIST_BOUNDS.candidates,
      description: `The parcel, or up to ${LIST_BOUNDS.candidates} candidates of a tie, or up to 3 similar parcels of a row without a match.`,
    }),
    input: Type.Record(Type.String(), Type.String(), {
      description: 'The row as it was sent.',
      examples: [{ address: '2982 W 50th Street', zip: '97900' }],
    }),
  },
  { ...closed, component: 'MatchRow', description: 'A row of a list with its result.' },
)

export const match = Type.Object(
  {
    ...matchFields,
    results: Type.Optional(
      Type.Array(matchRow, {
        description: `Only in the response to a request with \`wait\`, if the list was done in time: its first ${LIST_BOUNDS.rowsOfReaders} rows.`,
      }),
    ),
  },
  { ...closed, component: 'Match', description: 'A list that is matched to the parcels.' },
)

export const upload = Type.Object(
  {
    id: idOf('upload'),
    format: oneOf(['csv', 'ndjson'], { description: 'Format of the list.', examples: ['csv'] }),
    lines: countOf('Lines of the list.', 2_306),
    columns: Type.Array(
      Type.Object(
        {
          name: textOf('The name of the column.', 'Property address'),
          field: Type.Union([FIELD, Type.Null()], {
            description: 'What the column most likely contains, guessed from its name; null if unknown.',
            examples: ['address'],
          }),
          samples: Type.Array(Type.String({ examples: ['2982 W 50th Street'] }), {
            description: 'Its values in the first rows.',
            examples: [['2982 W 50th Street']],
          }),
        },
        { ...closed, description: 'A column of the list.' },
      ),
      { description: 'The columns, in their order.' },
    ),
    expires_at: at('When it is deleted.'),
  },
  { ...closed, component: 'Upload', description: 'An uploaded list.' },
)

export const outcomeFilter = t.Optional(
  t.String({
    takes: `a comma-separated subset of ${MATCH_OUTCOMES.join(', ')}`,
    description: `Only rows with one of these outcomes: a comma-separated subset of ${MATCH_OUTCOMES.join(', ')}.`,
    examples: ['no_match,invalid'],
  }),
)

/** @throws HttpError 400 */
export const parseOutcomes = (text: string | undefined): string[] | null => {
  if (text === undefined) return null
  const outcomes = text.split(',').map((word) => word.trim())
  if (outcomes.some((outcome) => !(MATCH_OUTCOMES as readonly string[]).includes(outcome))) {
    throw new HttpError(400, `outcome must be a comma-separated subset of ${MATCH_OUTCOMES.join(', ')}`)
  }
  return outcomes
}
