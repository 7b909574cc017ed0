import { createHash } from 'node:crypto'
import { Elysia } from 'elysia'
import type { Sql, Transaction } from '../../../core/postgres/database'
import { isTransient } from '../../../core/postgres/transient-errors'
import {
  findIdempotencyKey,
  holdIdempotencyKey,
  type IdempotencyRow,
  type IdempotentRequest,
  type JobKey,
  type KeptAnswer,
  keepIdempotentAnswer,
  storeIdempotentAnswer,
} from '../../../drizzle/queries/service/idempotency-keys'
import { principalOf } from '../callers/auth'
import { jsonResponse } from './body/json'
import { HttpError } from './errors'

const VALID_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * `idempotent: true` on a POST: a request with an Idempotency-Key takes effect once. If it is repeated within 24 hours, the caller
 * gets the first response again, marked `Idempotent-Replayed: true`. With a different body or path the response is 422; while the
 * first request is still running, 409 (draft-ietf-httpapi-idempotency-key-header-07). A failed request has no effect, so a retry
 * runs again. Of a caller with more than `MOST_IDEMPOTENCY_KEYS` keys, the oldest are forgotten earlier.
 *
 * The handler must use one of these two functions:
 *
 * - `once(tx => ...)`: makes all its writes in `tx`, which also stores the response under the key. So the key and the effect are
 *   always committed together, even if the process or the connection dies.
 * - `onceAsJob(key => ...)`: for a scrape, which waits for a portal. The transaction that creates the job ties the key to it
 *   (`tieIdempotencyKey`). A repeated request waits for that job, whichever process runs it.
 */
export const idempotency = (sql: Sql) =>
  new Elysia({ name: 'idempotency' }).macro({
    idempotent: (_: true) => ({
      resolve: ({ request, body, path }) => {
        const readKey = () => readIdempotencyKey(request, path, body)
        return {
          once: (effect: (tx: Transaction) => Promise<Response | SecretResponse>) => runOnce(sql, readKey(), effect),
          onceAsJob: (effect: (key: JobKey | null) => Promise<Response>) => runOnceAsJob(sql, readKey(), effect),
        }
      },
    }),
  })

/** A response with a secret, which must not be stored, and the response that a repeated request gets instead. */
interface SecretResponse {
  response: Response
  kept: KeptAnswer
}

const runOnce = (
  sql: Sql,
  key: IdempotentRequest | null,
  effect: (tx: Transaction) => Promise<Response | SecretResponse>,
): Promise<Response> =>
  sql.begin(async (tx) => {
    const run = async (): Promise<SecretResponse> => {
      const done = await effect(tx)
      return done instanceof Response ? { response: done, kept: await readAnswer(done) } : done
    }
    if (key === null) return (await run()).response
    if (!(await holdIdempotencyKey(tx, key))) throw stillRunning()
    const found = await findIdempotencyKey(tx, key)
    const replayed = found && replay(key, found)
    if (replayed !== null) return replayed
    const { response, kept } = await run()
    await storeIdempotentAnswer(tx, key, kept)
    return response
  }) as Promise<Response>

const runOnceAsJob = async (
  sql: Sql,
  key: IdempotentRequest | null,
  effect: (key: JobKey | null) => Promise<Response>,
): Promise<Response> => {
  if (key === null) return effect(null)
  const found = await findIdempotencyKey(sql, key)
  const replayed = found && replay(key, found)
  if (replayed !== null) return replayed
  if (found?.isRunning === true) throw stillRunning()
  const response = await effect({ request: key, formerJob: found?.jobId ?? null })
  const answer = await readAnswer(response)
  await keepIdempotentAnswer(sql, key, answer).catch((error) => {
    // A repeated request can build the response again from the job.
    if (!isTransient(error)) throw error
  })
  return response
}

/** @throws HttpError 400 */
const readIdempotencyKey = (request: Request, path: string, body: unknown): IdempotentRequest | null => {
  const idempotencyKey = request.headers.get('idempotency-key')
  if (idempotencyKey === null) return null
  if (!VALID_KEY.test(idempotencyKey)) {
    throw new HttpError(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters')
  }
  const requestHash = createHash('sha256')
    .update(`${request.method} ${path.replace(/^\/v1/, '')}\n${JSON.stringify(body ?? null)}`)
    .digest('hex')
  return { callerHash: principalOf(request).callerHash, idempotencyKey, requestHash }
}

/**
 * The stored response, or null.
 *
 * @throws HttpError 422 when the key was used for another request
 */
const replay = (key: IdempotentRequest, { requestHash, answer }: IdempotencyRow): Response | null => {
  if (requestHash !== key.requestHash) {
    throw new HttpError(422, 'this Idempotency-Key was used for a different request: choose a new one')
  }
  return answer && jsonResponse(answer.body, { status: answer.status, headers: { 'idempotent-replayed': 'true' } })
}

const readAnswer = async (response: Response): Promise<KeptAnswer> => ({
  status: response.status,
  body: await response.clone().text(),
})

const stillRunning = () => new HttpError(409, 'a request with this Idempotency-Key is still running: try again shortly')
