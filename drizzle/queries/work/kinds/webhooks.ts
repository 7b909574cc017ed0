import { Type } from '@sinclair/typebox'
import { closed, count, type WorkKind } from './work-kind'

/** Requests to one receiver of webhooks. The subject is the receiver's origin. */
export const webhooks = {
  name: 'webhooks',
  payload: Type.Object({}, { ...closed, title: 'webhooks' }),
  result: Type.Partial(
    Type.Object({
      delivered: count('Requests that the receiver accepted.', 40),
      failed: count('Requests that failed. They are repeated later.', 2),
    }),
    { ...closed, title: 'webhooks' },
  ),
} satisfies WorkKind
