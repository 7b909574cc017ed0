import { Elysia } from 'elysia'
import { findAccount } from '../../../../../drizzle/queries/people/accounts'
import { authorization, signedInOf } from '../../../callers/auth'
import { jsonResponse } from '../../../convention/body/json'
import { HttpError } from '../../../convention/errors'
import type { Deps } from '../../../deps'
import { keyedErrors } from '../../../schemas'
import { account, detail, PRIVATE } from './schemas'

export const getAccountRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/account',
    async ({ request }) => {
      const body = await findAccount(sql, signedInOf(request).accountId)
      if (body === null) throw new HttpError(401, 'not signed in')
      return jsonResponse(body, { headers: PRIVATE })
    },
    {
      needs: 'session',
      response: { 200: account, ...keyedErrors },
      detail: {
        ...detail,
        summary: 'Get your account',
        description: 'Requires a session. A key is not accepted.',
        operationId: 'getAccount',
      },
    },
  )
