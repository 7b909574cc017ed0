import { Type } from '@sinclair/typebox'
import { atOrNull, closed, countOf, uuid } from '../../../schemas'
import { accountFields } from '../account/schemas'

export const account = Type.Object(
  {
    ...accountFields,
    last_seen_at: atOrNull('Time of the last visit; null if none was recorded.'),
    keys: countOf('Number of valid keys.', 2),
  },
  { ...closed, component: 'AccountWithUse', description: 'A person who has signed in, with fields for admins.' },
)

export const accountKey = Type.Object({
  id: Type.String({ description: 'Id of an account.', examples: uuid.examples }),
})
