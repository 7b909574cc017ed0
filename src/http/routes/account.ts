import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findAccount } from '../../../drizzle/queries/people/accounts'
import { listAccountKeys, revokeAccountKey } from '../../../drizzle/queries/people/api-keys'
import { isUuid } from '../../parcels/is-uuid'
import { issueAccountKey, MOST_LIVE_KEYS } from '../../people/issue-account-key'
import { accountFields } from '../account-schema'
import { authorization, signedInOf } from '../callers/auth'
import { errorBody, HttpError } from '../convention/errors'
import { idempotency } from '../convention/idempotency'
import { jsonResponse, listResponse } from '../convention/json'
import type { Deps } from '../deps'
import { at, atOrNull, closed, count, idOf, keyedErrors, limit, notFound, query, uuid } from '../schemas'

const account = Type.Object(accountFields, {
  ...closed,
  component: 'Account',
  description: 'A person who has signed in.',
})

const keyName = Type.String({
  minLength: 1,
  maxLength: 100,
  // Leading spaces, then a non-space. Each character can match only one part of the pattern, so matching stays linear.
  pattern: '^[^\\S\\u0000-\\u001f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  takes: 'the purpose of the key: 1 to 100 characters, no control characters, and not only spaces',
  description: 'Purpose of the key.',
  examples: ['county map'],
})
const capabilities = Type.Array(Type.String({ examples: ['read'] }), {
  description: 'Current capabilities. `enqueue` is missing while the plan is not paid.',
  examples: [['read']],
})

const key = Type.Object(
  {
    id: idOf('key'),
    name: keyName,
    capabilities,
    created_at: at('Time of issue.'),
    last_used_at: atOrNull('Time of last use; null if never used.'),
    revoked_at: atOrNull('Time of revocation; null if valid.'),
    rotation_due: Type.Boolean({
      description: 'Whether the key is older than 90 days and should be replaced. This is not enforced.',
      examples: [false],
    }),
  },
  { ...closed, component: 'Key', description: 'An API key, without its secret.' },
)

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

const detail = { tags: ['account'], security: [{ Session: [] }] }

const alreadyIssued = (id: string): string =>
  `this request has already issued the key ${id}, which cannot be shown again: revoke it, and issue another with a new Idempotency-Key`

/** Personal data must not be cached. */
const PRIVATE = { 'cache-control': 'no-store' }

export const accountRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .get(
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
    .get(
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
    .post(
      '/account/keys',
      ({ body, request, once }) =>
        once(async (tx) => {
          const name = body.name.trim()
          const issued = await issueAccountKey(tx, signedInOf(request).accountId, {
            name,
            enqueue: body.capabilities?.includes('enqueue') ?? false,
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
              Type.Array(Type.Literal('enqueue'), {
                maxItems: 1,
                takes: 'an empty list or a list with "enqueue"',
                description: 'Capabilities in addition to `read`. `enqueue` requires a paid plan.',
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
          description: `The key is shown only once; the service stores only its hash. Returns 403 for \`enqueue\` without a paid plan, and 409 if the account already has ${MOST_LIVE_KEYS} valid keys. A repeated Idempotency-Key also returns 409; the error names the key that the first request issued.`,
          operationId: 'issueAccountKey',
        },
      },
    )
    .delete(
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
