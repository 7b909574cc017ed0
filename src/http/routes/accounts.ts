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
    last_seen_at: atOrNull('Time of the last visit; null if none was recorded.'),
    keys: countOf('Number of valid keys.', 2),
  },
  { ...closed, component: 'AccountWithUse', description: 'A person who has signed in, with fields for admins.' },
)
const accountKey = Type.Object({ id: Type.String({ description: 'Id of an account.', examples: uuid.examples }) })

/** Personal data must not be cached. */
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
          description: 'Fields to change.',
          examples: [{ plan: 'paid' }],
        }),
        response: { 200: account, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['account'],
          summary: "Change a person's role or plan",
          description:
            'Takes effect on the next request of the person or of their keys. Demoting the last admin returns 409.',
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
          summary: 'Remove an account with its sessions and keys',
          description:
            'If the person signs in again, they get a new account as a member. Removing the last admin returns 409.',
          operationId: 'removeAccount',
        },
      },
    )
