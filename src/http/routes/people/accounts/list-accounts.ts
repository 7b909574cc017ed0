import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listAccounts } from '../../../../../drizzle/queries/people/accounts'
import { authorization } from '../../../callers/auth'
import { jsonResponse, pageJson } from '../../../convention/body/json'
import type { Deps } from '../../../deps'
import { after, count, keyedErrors, limit, next, query } from '../../../schemas'
import { PRIVATE } from '../account/schemas'
import { account } from './schemas'

export const listAccountsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/admin/accounts',
    async ({ query: { limit = 100, after = null, q = null } }) => {
      const list = (limit: number) => listAccounts(sql, { after, q, limit })
      const page = await pageJson('accounts', limit, list, ({ id }) => id)
      return jsonResponse(page, { headers: PRIVATE })
    },
    {
      needs: 'admin',
      query: query({
        q: t.Optional(
          Type.String({
            maxLength: 256,
            description: 'Part of an email or name, case-insensitive.',
            examples: ['ada'],
          }),
        ),
        limit: limit(500, 100),
        after,
      }),
      response: {
        200: Type.Object({ count, accounts: Type.Array(account, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['account'],
        summary: 'List accounts, newest first',
        description: 'Use `after` to get the next page.',
        operationId: 'listAccounts',
      },
    },
  )
