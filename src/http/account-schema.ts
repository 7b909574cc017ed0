import { Type } from '@sinclair/typebox'
import { ACCOUNT_PLANS, ACCOUNT_ROLES } from '../../drizzle/schema/accounts'
import { nullable, oneOf, timestamp, uuid } from './schemas'

export const accountRole = oneOf(ACCOUNT_ROLES, { description: '`admin` may do everything.', examples: ['member'] })
export const accountPlan = oneOf(ACCOUNT_PLANS, {
  description: '`paid` may order scrapes (`enqueue`).',
  examples: ['free'],
})

export const accountFields = {
  id: uuid,
  email: Type.String({ examples: ['ada@larkspur.example'] }),
  name: nullable(Type.String({ examples: ['Ada Juniper'] })),
  role: accountRole,
  plan: accountPlan,
  created_at: timestamp,
}
