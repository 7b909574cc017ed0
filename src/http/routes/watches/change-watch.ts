import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isUuid } from '../../../parcels/is-uuid'
import { changeWatch } from '../../../watches/change-watch'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { ownerOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound } from '../../schemas'
import { watchJson } from './add-watch'
import { noteAdminAct } from './note-admin-act'
import { fieldsOrNull, PRIVATE, watchFields, watchKey, watchWithSecret, webhookUrlOrNull } from './schemas'

export const changeWatchRoute = ({ sql, authenticator, allowPrivateWebhooks }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
    '/watches/:id',
    async ({ params: { id }, body, request }) => {
      const owner = ownerOf(principalOf(request))
      const text = await sql.begin(async (tx) => {
        const changed = isUuid(id)
          ? await changeWatch(tx, owner, id, body, { allowPrivate: allowPrivateWebhooks })
          : null
        if (changed === null) throw new HttpError(404, 'not found')
        return watchJson(tx, owner, id, changed.secret)
      })
      noteAdminAct(request, text)
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
