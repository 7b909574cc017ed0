import { Elysia } from 'elysia'
import { removeAccount } from '../../../../people/change-account'
import { authorization, principalOf } from '../../../callers/auth'
import { jsonResponse } from '../../../convention/body/json'
import { errorBody } from '../../../convention/errors'
import type { Deps } from '../../../deps'
import { keyedErrors, notFound } from '../../../schemas'
import { PRIVATE } from '../account/schemas'
import { account, accountKey } from './schemas'

export const removeAccountRoute = ({ sql, authenticator, log }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
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
