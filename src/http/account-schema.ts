import { Type } from '@sinclair/typebox'
import { ACCOUNT_PLANS, ACCOUNT_ROLES } from '../../drizzle/schema/accounts'
import { nullable, timestamp, uuid } from './schemas'

export const accountRole = Type.Union(
  ACCOUNT_ROLES.map((value) => Type.Literal(value)),
  { description: '`admin` may do everything.', examples: ['member'] },
)
export const accountPlan = Type.Union(
  ACCOUNT_PLANS.map((value) => Type.Literal(value)),
  { description: '`paid` may order scrapes (`enqueue`).', examples: ['free'] },
)

export const accountFields = {
  id: uuid,
  email: Type.String({ examples: ['ada@larkspur.example'] }),
  name: nullable(Type.String({ examples: ['Ada Juniper'] })),
  role: accountRole,
  plan: accountPlan,
  created_at: timestamp,
}
