import { Type } from '@sinclair/typebox'
import { closed, count, type WorkKind } from './work-kind'

/** A comparison of the search index with the database, which repairs differences. */
export const searchCheck = {
  name: 'search_check',
  payload: Type.Object({}, { ...closed, title: 'search_check' }),
  result: Type.Partial(
    Type.Object({
      missing: count('Documents that the index lacked.', 2),
      extra: count('Documents without a row.', 1),
      different: count('Documents that differed from their rows.', 4),
    }),
    { ...closed, title: 'search_check' },
  ),
} satisfies WorkKind

/** New search indexes beside the live ones, which they then replace. */
export const searchRebuild = {
  name: 'search_rebuild',
  payload: Type.Object({}, { ...closed, title: 'search_rebuild' }),
  result: Type.Object({}, { ...closed, title: 'search_rebuild' }),
} satisfies WorkKind
