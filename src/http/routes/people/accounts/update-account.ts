import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { changeAccount } from '../../../../people/change-account'
import { authorization, principalOf } from '../../../callers/auth'
import { jsonResponse } from '../../../convention/body/json'
import { errorBody } from '../../../convention/errors'
import type { Deps } from '../../../deps'
import { closed, keyedErrors, notFound } from '../../../schemas'
import { accountPlan, accountRole, PRIVATE } from '../account/schemas'
import { account, accountKey } from './schemas'

export const updateAccountRoute = ({ sql, authenticator, log }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
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
