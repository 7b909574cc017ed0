import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listAccounts } from '../../../drizzle/queries/people/accounts'
import { changeAccount, removeAccount } from '../../people/change-account'
import { accountFields, accountPlan, accountRole } from '../account-schema'
import { authorization, principalOf } from '../callers/auth'
import { errorBody } from '../convention/errors'
import { jsonResponse, pageJson } from '../convention/json'
import type { Deps } from '../deps'
import { after, atOrNull, closed, count, countOf, keyedErrors, limit, next, notFound, query, uuid } from '../schemas'

const account = Type.Object(
  {
    ...accountFields,
    last_seen_at: atOrNull('When the person was last here; null: not since that is noted.'),
    keys: countOf('How many valid keys it has.', 2),
  },
  { ...closed, component: 'AccountWithUse', description: 'A person who has signed in, as admins see it.' },
)
const accountKey = Type.Object({ id: Type.String({ description: 'Id of an account.', examples: uuid.examples }) })

/** What is about people stays out of every cache. */
const PRIVATE = { 'cache-control': 'no-store' }

export const accountsRoutes = ({ sql, authenticator, log }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
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
            Type.String({ maxLength: 256, description: 'Part of an email or a name, in any case.', examples: ['ada'] }),
          ),
          limit: limit(500, 100),
          after,
        }),
        response: {
          200: Type.Object({ count, accounts: Type.Array(account, { description: 'The newest first.' }), next }),
          ...keyedErrors,
        },
        detail: {
          tags: ['account'],
          summary: 'People who have signed in, newest first',
          description: 'Pages follow by `after`.',
          operationId: 'listAccounts',
        },
      },
    )
    .patch(
      '/admin/accounts/:id',
      async ({ params: { id }, body, request }) => {
        const changed = await changeAccount(sql, id, body)
        log.info({ actor: principalOf(request).actor, account: id, ...body }, 'account changed')
        return jsonResponse(changed, { headers: PRIVATE })
      },
      {
        needs: 'admin',
        params: accountKey,
        body: Type.Partial(Type.Object({ role: accountRole, plan: accountPlan }), {
          ...closed,
          minProperties: 1,
          description: 'What is to change.',
          examples: [{ plan: 'paid' }],
        }),
        response: { 200: account, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['account'],
          summary: 'Promote or demote a person, or set their plan',
          description:
            'It counts on their next request, and on that of their keys. 409 for the demotion of the last admin.',
          operationId: 'updateAccount',
        },
      },
    )
    .delete(
      '/admin/accounts/:id',
      async ({ params: { id }, request }) => {
        const removed = await removeAccount(sql, id)
        log.info({ actor: principalOf(request).actor, account: id }, 'account removed')
        return jsonResponse(removed, { headers: PRIVATE })
      },
      {
        needs: 'admin',
        params: accountKey,
        response: { 200: account, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['account'],
          summary: "Remove a person's account, with its sessions and keys",
          description: 'Who signs in again gets a new account, as a member. 409 for the last admin.',
          operationId: 'removeAccount',
        },
      },
    )
