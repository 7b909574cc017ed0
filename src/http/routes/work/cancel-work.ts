import { Elysia } from 'elysia'
import { cancelWork } from '../../../orders/cancel-work'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { work, workKey } from './schemas'

export const cancelWorkRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .delete(
      '/:id',
      async ({ params: { id }, request }) =>
        jsonResponse(await namedFor(sql, request, await cancelWork(sql, id, principalOf(request).actor))),
      {
        needs: 'admin',
        params: workKey,
        response: { 200: work, ...keyedErrors, ...notFound },
        detail: {
          tags: ['work'],
          summary: 'Cancel queued or running work',
          description: 'Running work stops within seconds. Results that it has stored stay. 404 if the work has ended.',
          operationId: 'cancelWork',
        },
      },
    )
