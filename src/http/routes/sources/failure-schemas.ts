import { Type } from '@sinclair/typebox'
import { FAILURE_CLASSES } from '../../../../core/sources/failure-classes'
import { SOURCE_PROBLEMS } from '../../../../drizzle/schema/values'
import { atOrNull, closed, countOf, oneOf, textOf, textOrNull } from '../../schemas'

export const failureClassName = oneOf(
  FAILURE_CLASSES.map(({ name }) => name),
  {
    component: 'FailureClass',
    description: 'Why scrapes fail.',
    examples: ['page_changed'],
  },
)

export const failureClassOrNull = (description: string) => textOrNull(description, 'page_changed')

export const failureCount = Type.Object(
  { failure_class: textOf('Why scrapes failed.', 'page_changed'), count: countOf('How many.', 3) },
  { ...closed, component: 'FailureCount', description: 'How many scrapes failed for one reason.' },
)

/** The problem of a source. */
export const problemFields = {
  problem: Type.Union([
    oneOf(SOURCE_PROBLEMS, {
      description:
        'Why its last scrapes failed in a row. `site_changed`: the portal answers differently than before. `fetch_failed`: its pages cannot be fetched. Null: no problem.',
      examples: ['site_changed'],
    }),
    Type.Null(),
  ]),
  failure_class: failureClassOrNull('The most frequent class of these failures; null: no problem.'),
  since: atOrNull('Time of the first of these failures; null: no problem.'),
}
