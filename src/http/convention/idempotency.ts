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
import { HttpError } from './errors'
import { jsonResponse } from './json'

const VALID_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * `idempotent: true` on a POST: a request that carries an Idempotency-Key is carried out once. Repeated within 24 hours it gets
 * the first one's answer, marked `Idempotent-Replayed: true`; with another body or path it is 422; while the first is under
 * way, 409 (draft-ietf-httpapi-idempotency-key-header-07). A request that failed did nothing: the next try is real.
 *
 * The handler gets two ways to do its work and must use one of them:
 *
 * - `once(tx => ...)`: everything that it writes, it writes in `tx`, and the key's answer is stored in the same transaction. So
 *   there is no key without its effect and no effect without its key, however the process or the connection ends.
 * - `onceAsJob(key => ...)`: for a scrape, which waits for a portal. The key is tied to the job in the transaction that makes it
 *   (`tieIdempotencyKey`). A repeated request follows that job, whoever runs it by then.
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

/** An answer that holds a secret, which must not be stored, and what a repeated request is answered in its place. */
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
    if (!(await holdIdempotencyKey(tx, key))) throw underWay()
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
  if (found?.isRunning === true) throw underWay()
  const response = await effect({ request: key, formerJob: found?.jobId ?? null })
  const answer = await readAnswer(response)
  await keepIdempotentAnswer(sql, key, answer).catch((error) => {
    // The answer can be made again from the job.
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
 * The answer that was kept; null when none was.
 *
 * @throws HttpError 422 when the key was used for another request
 */
const replay = (key: IdempotentRequest, { requestHash, answer }: IdempotencyRow): Response | null => {
  if (requestHash !== key.requestHash) {
    throw new HttpError(422, 'this Idempotency-Key was used for another request: choose a new one')
  }
  return answer && jsonResponse(answer.body, { status: answer.status, headers: { 'idempotent-replayed': 'true' } })
}

const readAnswer = async (response: Response): Promise<KeptAnswer> => ({
  status: response.status,
  body: await response.clone().text(),
})

const underWay = () => new HttpError(409, 'a request with this Idempotency-Key is under way: try again shortly')
