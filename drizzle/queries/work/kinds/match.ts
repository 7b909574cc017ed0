import { Type } from '@sinclair/typebox'
import { closed, count, type WorkKind } from './work-kind'

/** Rows of a list by their outcome. */
export const matchCounts = Type.Object(
  {
    matched: count('Rows with one parcel.', 2_101),
    tie: count('Rows with several parcels that match equally well.', 120),
    no_match: count('Rows without a parcel.', 80),
    invalid: count('Rows that could not be read.', 4),
  },
  { ...closed, component: 'MatchCounts', description: 'Rows of a list by their outcome.' },
)

/** A comparison of a list with the parcels. `drizzle/schema/service/matches.ts` stores the list and the options. */
export const match = {
  name: 'match',
  payload: Type.Object({}, { ...closed, title: 'match' }),
  result: Type.Partial(
    Type.Object({
      rows: count('Rows of the list.', 2_305),
      counts: matchCounts,
    }),
    { ...closed, title: 'match' },
  ),
} satisfies WorkKind
