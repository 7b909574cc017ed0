import { createHash } from 'node:crypto'
import { Elysia } from 'elysia'
import type { Sql } from '../../drizzle/database'
import {
  claimIdempotencyKey,
  type IdempotentRequest,
  keepIdempotentAnswer,
  releaseIdempotencyKey,
} from '../../drizzle/queries/idempotency-keys'
import { principalOf } from './auth'
import { HttpError } from './errors'
import { jsonResponse } from './json'

const VALID_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * `idempotent: true` on a POST: a request that carries an Idempotency-Key is carried out once. Repeated within 24 hours it gets
 * the first one's answer, marked `Idempotent-Replayed: true`; with another body or path it is 422; while the first is under
 * way, 409 (draft-ietf-httpapi-idempotency-key-header-07). An answer of 5xx, or an error, is not kept: the next try is real.
 */
export const idempotency = (sql: Sql) => {
  const claims = new WeakMap<Request, IdempotentRequest>()
  return new Elysia({ name: 'idempotency' }).macro({
    idempotent: (_: true) => ({
      beforeHandle: async ({ request, body, path }) => {
        const idempotencyKey = request.headers.get('idempotency-key')
        if (idempotencyKey === null) return
        if (!VALID_KEY.test(idempotencyKey)) {
          throw new HttpError(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters')
        }
        const requestHash = createHash('sha256')
          .update(`${request.method} ${path.replace(/^\/v1/, '')}\n${JSON.stringify(body ?? null)}`)
          .digest('hex')
        const claim = { callerHash: principalOf(request).callerHash, idempotencyKey, requestHash }
        const found = await claimIdempotencyKey(sql, claim)
        switch (found.state) {
          case 'first':
            claims.set(request, claim)
            return
          case 'other_request':
            throw new HttpError(422, 'this Idempotency-Key was used for another request: choose a new one')
          case 'under_way':
            throw new HttpError(409, 'a request with this Idempotency-Key is under way: try again shortly')
          case 'answered':
            return jsonResponse(found.body, { status: found.status, headers: { 'idempotent-replayed': 'true' } })
        }
      },
      afterHandle: async ({ request, response }) => {
        const claim = claims.get(request)
        if (claim === undefined || !(response instanceof Response) || response.status >= 500) return
        claims.delete(request)
        await keepIdempotentAnswer(sql, claim, { status: response.status, body: await response.clone().text() })
      },
      afterResponse: async ({ request }) => {
        const claim = claims.get(request)
        if (claim !== undefined) await releaseIdempotencyKey(sql, claim)
      },
    }),
  })
}
