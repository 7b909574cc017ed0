import { Type } from '@sinclair/typebox'
import { MAX_KEY_NAME } from '../../../../../core/bounds'
import { ACCOUNT_PLANS, ACCOUNT_ROLES } from '../../../../../drizzle/schema/values'
import { at, atOrNull, closed, idOf, oneOf, textOf, textOrNull } from '../../../schemas'

export const accountRole = oneOf(ACCOUNT_ROLES, { description: '`admin` has every capability.', examples: ['member'] })
export const accountPlan = oneOf(ACCOUNT_PLANS, {
  description: '`paid` includes the capabilities `enqueue` (request scrapes) and `bulk-export` (export parcels).',
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

export const account = Type.Object(accountFields, {
  ...closed,
  component: 'Account',
  description: 'A person who has signed in.',
})

export const keyName = Type.String({
  minLength: 1,
  maxLength: MAX_KEY_NAME,
  // Leading spaces, then a non-space. Each character can match only one part of the pattern, so matching stays linear.
  pattern: '^[^\\S\\u0000-\\u001f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  takes: `the purpose of the key: 1 to ${MAX_KEY_NAME} characters, no control characters, and not only spaces`,
  description: 'Purpose of the key.',
  examples: ['county map'],
})

export const capabilities = Type.Array(Type.String({ examples: ['read'] }), {
  description: 'Current capabilities. `enqueue` and `bulk-export` are missing while the plan is not paid.',
  examples: [['read']],
})

export const key = Type.Object(
  {
    id: idOf('key'),
    name: keyName,
    capabilities,
    created_at: at('Time of issue.'),
    last_used_at: atOrNull('Time of last use; null if never used.'),
    revoked_at: atOrNull('Time of revocation; null if valid.'),
    rotation_due: Type.Boolean({
      description: 'Whether the key is older than 90 days and should be replaced. This is not enforced.',
      examples: [false],
    }),
  },
  { ...closed, component: 'Key', description: 'An API key, without its secret.' },
)

export const detail = { tags: ['account'], security: [{ Session: [] }] }

/** Personal data must not be cached. */
export const PRIVATE = { 'cache-control': 'no-store' }
