import { ACCOUNT_PLANS, ACCOUNT_ROLES } from '../../drizzle/schema/accounts'
import { at, idOf, oneOf, textOf, textOrNull } from './schemas'

export const accountRole = oneOf(ACCOUNT_ROLES, { description: '`admin` has every capability.', examples: ['member'] })
export const accountPlan = oneOf(ACCOUNT_PLANS, {
  description: '`paid` includes the `enqueue` capability (ordering scrapes).',
  examples: ['free'],
})

export const accountFields = {
  id: idOf('account'),
  email: textOf('Email from the identity provider, updated at each sign-in.', 'ada@larkspur.example'),
  name: textOrNull(
    'Name from the identity provider, updated at each sign-in. Null if the provider gives none.',
    'Ada Juniper',
  ),
  role: accountRole,
  plan: accountPlan,
  created_at: at('Time of the first sign-in.'),
}
