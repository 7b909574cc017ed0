import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { changeWatch } from '../../../watches/change-watch'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound } from '../../schemas'
import { watchJson } from './add-watch'
import { noteAlertsWatch } from './note-alerts-watch'
import { fieldsOrNull, PRIVATE, watchFields, watchKey, watchWithSecret, webhookUrlOrNull } from './schemas'

export const changeWatchRoute = ({ sql, authenticator, allowPrivateWebhooks }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
    '/watches/:id',
    async ({ params: { id }, body, request }) => {
      const text = await sql.begin((tx) =>
        findOwned(request, id, async (owner) => {
          const changed = await changeWatch(tx, owner, id, body, { allowPrivate: allowPrivateWebhooks })
          return changed && watchJson(tx, owner, id, changed.secret)
        }),
      )
      noteAlertsWatch(request, text)
      return jsonResponse(await namedFor(sql, request, text), { headers: PRIVATE })
    },
    {
      needs: 'read',
      params: watchKey,
      body: Type.Object(
        {
          active: Type.Optional(watchFields.active),
          fields: Type.Optional(fieldsOrNull),
          webhook_url: Type.Optional(webhookUrlOrNull),
          new_secret: Type.Optional(
            Type.Literal(true, {
              takes: 'true',
              description: 'Replaces the secret of the webhook. The next request is signed with the new one.',
              examples: [true],
            }),
          ),
        },
        { ...closed, minProperties: 1, description: 'Fields to change.', examples: [{ active: false }] },
      ),
      response: { 200: watchWithSecret, ...keyedErrors, ...notFound },
      detail: {
        tags: ['watches'],
        summary: 'Change one of your watches',
        description:
          'Omitted fields keep their values. The target of a watch cannot be changed: delete the watch and add another. Pending changes are sent to a new `webhook_url`; without a webhook they are not sent. A watch that becomes active again sends what was pending, but misses changes made while it was inactive.',
        operationId: 'changeWatch',
      },
    },
  )
