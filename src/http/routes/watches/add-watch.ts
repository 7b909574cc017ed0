import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { WATCH_BOUNDS } from '../../../../core/bounds'
import type { Db } from '../../../../core/postgres/database'
import { formatCount } from '../../../../core/text/count-noun'
import { findWatch } from '../../../../drizzle/queries/watches/watches'
import { addWatch } from '../../../watches/change-watch'
import { actsAsAdmin, authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors, sourceParcelId, sourceSlug } from '../../schemas'
import { fieldsOrNull, kind, ownerName, PRIVATE, polygon, watchWithSecret, webhookUrlOrNull } from './schemas'

const alreadyAdded = (id: string): string =>
  `this request has already added the watch ${id}, whose secret cannot be shown again: request a new one with new_secret`

const NEEDS_ADMIN = 'a watch of kind alerts needs the capability: admin'

export const addWatchRoute = ({ sql, authenticator, allowPrivateWebhooks }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/watches',
      ({ body, request, once }) =>
        once(async (tx) => {
          const principal = principalOf(request)
          const { accountId, callerHash, actor, capability } = principal
          if (body.kind === 'alerts') {
            if (capability !== 'admin') throw new HttpError(403, NEEDS_ADMIN)
            actsAsAdmin(request)
          }
          const owner = {
            owner: watcherOf(principal),
            accountId,
            createdBy: actor,
            keyHash: accountId === null ? callerHash : null,
          }
          const { id, secret } = await addWatch(tx, owner, body, { allowPrivate: allowPrivateWebhooks })
          const text = await watchJson(tx, null, id, secret)
          const response = jsonResponse(text, { status: 201, headers: PRIVATE })
          // The secret cannot be shown again.
          return secret === null
            ? response
            : { response, kept: { status: 409, body: JSON.stringify({ error: alreadyAdded(id) }) } }
        }),
      {
        needs: 'read',
        idempotent: true,
        body: Type.Object(
          {
            kind,
            source: Type.Optional(sourceSlug),
            source_parcel_id: Type.Optional(sourceParcelId),
            owner_name: Type.Optional(ownerName),
            polygon: Type.Optional(polygon),
            fields: Type.Optional(fieldsOrNull),
            webhook_url: Type.Optional(webhookUrlOrNull),
          },
          {
            ...closed,
            description: 'What to watch. Which fields of the target are required depends on `kind`.',
            examples: [
              {
                kind: 'parcel',
                source: 'sample-county',
                source_parcel_id: '12-0345-0670',
                fields: ['owner_name'],
                webhook_url: 'https://hooks.larkspur.example/parcels',
              },
            ],
          },
        ),
        response: { 201: watchWithSecret, ...keyedErrors, 409: errorBody },
        detail: {
          tags: ['watches'],
          summary: 'Add a watch',
          description: `Changes of parcels that match from now on are in the watch's log, are sent to \`/v1/events\` as \`watch\`, and are delivered to the webhook, if there is one (Standard Webhooks 1.0). The secret of the webhook is shown only once. A watch of kind \`alerts\` needs \`admin\`: its webhook gets a message when the service raises an alert and when the alert ends. An account, or a key without an account, can have at most ${formatCount(WATCH_BOUNDS.most)} watches.`,
          operationId: 'addWatch',
        },
      },
    )

/**
 * A watch as JSON, with its new secret.
 *
 * @throws HttpError 404
 */
export const watchJson = async (db: Db, owner: string | null, id: string, secret: string | null): Promise<string> => {
  const body = await findWatch(db, owner, id)
  if (body === null) throw new HttpError(404, 'not found')
  return `${body.slice(0, -1)},"webhook_secret":${JSON.stringify(secret)}}`
}
