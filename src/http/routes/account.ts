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
  // Spaces, then something else: in this order no character can be taken by two parts of it.
  pattern: '^[^\\S\\u0000-\\u001f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  takes: 'what the key is for: 1 to 100 characters, none of them a control character, and not only spaces',
  description: 'What the key is for.',
  examples: ['county map'],
})
const capabilities = Type.Array(Type.String({ examples: ['read'] }), {
  description: 'What it may do now: `enqueue` is gone while the plan is not paid.',
  examples: [['read']],
})

const key = Type.Object(
  {
    id: idOf('key'),
    name: keyName,
    capabilities,
    created_at: at('When it was issued.'),
    last_used_at: atOrNull('When it was last used; null: never.'),
    revoked_at: atOrNull('When it was revoked; null: it is valid.'),
    rotation_due: Type.Boolean({
      description: 'Older than 90 days: time to replace it. Nothing enforces that.',
      examples: [false],
    }),
  },
  { ...closed, component: 'Key', description: 'An API key, without the key itself.' },
)

const issuedKey = Type.Object(
  {
    id: idOf('key'),
    name: keyName,
    capabilities,
    created_at: at('When it was issued.'),
    key: Type.String({
      pattern: '^pk_[0-9a-f]{64}$',
      description: 'The key itself, shown this once.',
      examples: [`pk_${'0123456789abcdef'.repeat(4)}`],
    }),
  },
  { ...closed, component: 'IssuedKey', description: 'A new API key.' },
)

const detail = { tags: ['account'], security: [{ Session: [] }] }

const alreadyIssued = (id: string): string =>
  `this request has already issued the key ${id}, which cannot be shown again: revoke it, and issue another with a new Idempotency-Key`

/** What is about one person stays out of every cache. */
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
          summary: 'Who is signed in',
          description: 'Only with a session, not with a key.',
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
            keys: Type.Array(key, { description: 'Valid ones first, each kind newest first.' }),
          }),
          ...keyedErrors,
        },
        detail: {
          ...detail,
          summary: 'Your keys',
          description: 'Valid ones first, each kind newest first. Never the keys themselves.',
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
            // The key itself is stored nowhere, so it cannot be shown again.
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
                takes: 'a list that is empty or holds "enqueue"',
                description: 'Beyond reading, which every key may: `enqueue`, with a paid plan.',
                byDefault: [],
                examples: [['enqueue']],
              }),
            ),
          },
          { ...closed, description: 'What the key is for.', examples: [{ name: 'county map', capabilities: [] }] },
        ),
        response: { 201: issuedKey, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          ...detail,
          summary: 'Issue a key',
          description: `The key is shown this once; only its hash is kept. 403 for \`enqueue\` without a paid plan; 409 with ${MOST_LIVE_KEYS} valid keys. 409 for a repeated Idempotency-Key too: the error names the key that the first request issued.`,
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
          summary: 'Revoke a key of yours',
          description: 'The next request with it is refused. One that is revoked already stays as it is.',
          operationId: 'revokeAccountKey',
        },
      },
    )
