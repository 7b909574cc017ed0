import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listAccountKeys } from '../../../../../drizzle/queries/people/api-keys'
import { authorization, signedInOf } from '../../../callers/auth'
import { listResponse } from '../../../convention/body/json'
import type { Deps } from '../../../deps'
import { count, keyedErrors, limit, query } from '../../../schemas'
import { detail, key, PRIVATE } from './schemas'

export const listAccountKeysRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/account/keys',
    async ({ query: { limit = 100 }, request }) => {
      const keys = await listAccountKeys(sql, signedInOf(request).accountId, limit)
      return listResponse('keys', keys, undefined, { headers: PRIVATE })
    },
    {
      needs: 'session',
      query: query({ limit: limit(500, 100) }),
      response: {
        200: Type.Object({
          count,
          keys: Type.Array(key, { description: 'Valid keys first, then revoked ones; newest first in each group.' }),
        }),
        ...keyedErrors,
      },
      detail: {
        ...detail,
        summary: 'List your keys',
        description: 'Valid keys first, then revoked ones; newest first in each group. The secrets are not included.',
        operationId: 'listAccountKeys',
      },
    },
  )
