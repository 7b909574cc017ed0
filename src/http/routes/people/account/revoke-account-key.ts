import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isUuid } from '../../../../../core/text/uuid'
import { revokeAccountKey } from '../../../../../drizzle/queries/people/api-keys'
import { authorization, signedInOf } from '../../../callers/auth'
import { jsonResponse } from '../../../convention/body/json'
import { HttpError } from '../../../convention/errors'
import type { Deps } from '../../../deps'
import { keyedErrors, notFound, uuid } from '../../../schemas'
import { detail, key, PRIVATE } from './schemas'

export const revokeAccountKeyRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/account/keys/:id',
    async ({ params: { id }, request }) => {
      const body = isUuid(id) ? await revokeAccountKey(sql, signedInOf(request).accountId, id) : null
      if (body === null) throw new HttpError(404, 'not found')
      return jsonResponse(body, { headers: PRIVATE })
    },
    {
      needs: 'session',
      params: Type.Object({ id: Type.String({ description: 'Id of a key.', examples: uuid.examples }) }),
      response: { 200: key, ...keyedErrors, ...notFound },
      detail: {
        ...detail,
        summary: 'Revoke one of your keys',
        description: 'The next request with the key is refused. Revoking a revoked key has no effect.',
        operationId: 'revokeAccountKey',
      },
    },
  )
