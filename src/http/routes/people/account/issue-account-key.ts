import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { issueAccountKey, MAX_LIVE_KEYS, PAID_CAPABILITIES } from '../../../../people/issue-account-key'
import { authorization, signedInOf } from '../../../callers/auth'
import { jsonResponse } from '../../../convention/body/json'
import { errorBody } from '../../../convention/errors'
import { idempotency } from '../../../convention/idempotency'
import type { Deps } from '../../../deps'
import { at, closed, idOf, keyedErrors, notFound, oneOf } from '../../../schemas'
import { capabilities, detail, keyName, PRIVATE } from './schemas'

const issuedKey = Type.Object(
  {
    id: idOf('key'),
    name: keyName,
    capabilities,
    created_at: at('Time of issue.'),
    key: Type.String({
      pattern: '^pk_[0-9a-f]{64}$',
      description: 'The key. It is shown only once.',
      examples: [`pk_${'0123456789abcdef'.repeat(4)}`],
    }),
  },
  { ...closed, component: 'IssuedKey', description: 'A new API key.' },
)

const alreadyIssued = (id: string): string =>
  `this request has already issued the key ${id}, which cannot be shown again: revoke it, and issue another with a new Idempotency-Key`

export const issueAccountKeyRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/account/keys',
      ({ body, request, once }) =>
        once(async (tx) => {
          const name = body.name.trim()
          const issued = await issueAccountKey(tx, signedInOf(request).accountId, {
            name,
            capabilities: body.capabilities ?? [],
          })
          const { id, capabilities, createdAt, key } = issued
          return {
            response: jsonResponse(JSON.stringify({ id, name, capabilities, created_at: createdAt, key }), {
              status: 201,
              headers: PRIVATE,
            }),
            // Only the hash of the key is stored, so it cannot be shown again.
            kept: { status: 409, body: JSON.stringify({ error: alreadyIssued(id) }) },
          }
        }),
      {
        needs: 'session',
        idempotent: true,
        body: Type.Object(
          {
            name: keyName,
            capabilities: Type.Optional(
              Type.Array(oneOf(PAID_CAPABILITIES), {
                maxItems: PAID_CAPABILITIES.length,
                takes: 'a list of "enqueue" and "bulk-export", or one of them, or an empty list',
                description: 'Capabilities in addition to `read`. They require a paid plan.',
                byDefault: [],
                examples: [['enqueue']],
              }),
            ),
          },
          {
            ...closed,
            description: 'Name and capabilities of the new key.',
            examples: [{ name: 'county map', capabilities: [] }],
          },
        ),
        response: { 201: issuedKey, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          ...detail,
          summary: 'Issue a key',
          description: `The key is shown only once; the service stores only its hash. Returns 403 for a capability without a paid plan, and 409 if the account already has ${MAX_LIVE_KEYS} valid keys. A repeated Idempotency-Key also returns 409; the error names the key that the first request issued.`,
          operationId: 'issueAccountKey',
        },
      },
    )
