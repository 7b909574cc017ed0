import { ACCOUNT_PLANS, ACCOUNT_ROLES } from '../../drizzle/schema/accounts'
import { at, idOf, oneOf, textOf, textOrNull } from './schemas'

export const accountRole = oneOf(ACCOUNT_ROLES, { description: '`admin` may do everything.', examples: ['member'] })
export const accountPlan = oneOf(ACCOUNT_PLANS, {
  description: '`paid` may order scrapes (`enqueue`).',
  examples: ['free'],
})

export const accountFields = {
  id: idOf('account'),
  email: textOf('As the identity provider last told it.', 'ada@larkspur.example'),
  name: textOrNull('As the identity provider last told it; null: it does not.', 'Ada Juniper'),
  role: accountRole,
  plan: accountPlan,
  created_at: at('When the person first signed in.'),
}
