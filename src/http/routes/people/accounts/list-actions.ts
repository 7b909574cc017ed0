import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listAdminActions } from '../../../../../drizzle/queries/people/admin-actions'
import { authorization } from '../../../callers/auth'
import { namedFor } from '../../../callers/named-for'
import { jsonResponse, pageJson } from '../../../convention/body/json'
import type { Deps } from '../../../deps'
import { after, at, closed, count, idOf, keyedErrors, limit, next, query, textOf, WHO } from '../../../schemas'

const action = Type.Object(
  {
    id: idOf('action'),
    actor: textOf(`Who did it: ${WHO}.`, 'ops@example.org'),
    method: textOf('HTTP method.', 'PATCH'),
    path: textOf('Path of the request, without its query.', '/v1/sources/sample-county'),
    body: Type.Any({
      description: 'What was sent, with secrets replaced by `REDACTED`; null: nothing, or more than 4,000 characters.',
      examples: [{ active: true }],
    }),
    created_at: at('Time of the change.'),
  },
  { ...closed, component: 'AdminAction', description: 'A change that an admin made through the API.' },
)

export const listActionsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/admin/actions',
    async ({ query: { actor = null, limit = 100, after = null }, request }) => {
      const list = (limit: number) => listAdminActions(sql, { actor, after, limit })
      return jsonResponse(await namedFor(sql, request, await pageJson('actions', limit, list, ({ id }) => id)))
    },
    {
      needs: 'admin',
      query: query({
        actor: t.Optional(
          t.String({
            minLength: 1,
            maxLength: 100,
            description: 'Only actions of this key (its first 8 characters) or account (its short name).',
            examples: ['account 1a2b3c4d5e6f'],
          }),
        ),
        limit: limit(500, 100),
        after,
      }),
      response: {
        200: Type.Object({ count, actions: Type.Array(action, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['accounts'],
        summary: 'List what admins changed, newest first',
        description:
          'Successful requests that only admins can make, except reads. Kept for a year. What loads, crawls and jobs changed is in `GET /v1/changes`.',
        operationId: 'listAdminActions',
      },
    },
  )
