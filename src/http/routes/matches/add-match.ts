import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { LIST_BOUNDS } from '../../../../core/bounds'
import { createAdmission } from '../../../../core/concurrency/admission'
import type { Sql } from '../../../../core/postgres/database'
import { formatCount } from '../../../../core/text/count-noun'
import { listMatchRows } from '../../../../drizzle/queries/matches/match-rows'
import { findMatch } from '../../../../drizzle/queries/matches/matches'
import { findUploadLines } from '../../../../drizzle/queries/matches/uploads'
import { addUpload } from '../../../matches/add-upload'
import { orderMatch } from '../../../matches/order-match'
import { authorization, principalOf } from '../../callers/auth'
import { callerIdOf } from '../../callers/authenticator'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { sentListOf } from '../../convention/body/list-body'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import { parseState } from '../../convention/parameters/parse-state'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, query, sourceSlug, uuid } from '../../schemas'
import { columns, countyFilter, LIST_CONTENT, match, stateFilter } from './schemas'

const bodyFields = {
  upload: Type.String({ ...uuid, description: 'The id of one of your uploads.' }),
  columns: Type.Optional(columns),
  state: Type.Optional(stateFilter),
  county: Type.Optional(countyFilter),
  source: Type.Optional(sourceSlug),
}

/** Maximum lines of a reader's list, including the header. */
const ROWS_OF_READERS = LIST_BOUNDS.rowsOfReaders + 1
const MAX_WAIT_S = 20
const POLL_MS = 100
const WAITING_OF_ONE = 10

export const addMatchRoute = ({ sql, authenticator }: Deps) => {
  const admission = createAdmission({ what: 'waiting matches', ofOne: WAITING_OF_ONE, inAll: 100 })
  return new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/matches',
      async ({ body, query: { wait = 0 }, request, once }) => {
        const principal = principalOf(request)
        const owner = watcherOf(principal)
        const list = sentListOf(request)
        const { upload, columns = null, county = null, source = null } = body
        const state = body.state === undefined ? null : parseState(body.state)
        const leave = wait === 0 ? null : admission.admit(callerIdOf(principal))
        try {
          const response = await once(async (tx) => {
            if (list !== undefined) await addUpload(tx, { ...list, owner })
            const lines = await findUploadLines(tx, owner, upload)
            if (lines === null) throw new HttpError(404, 'there is no such upload')
            if (principal.capability === 'read' && lines > ROWS_OF_READERS) throw tooManyRows(request)
            const input = { owner, upload, retryOf: null, outcomes: [], columns, state, county, source }
            const id = await orderMatch(tx, input, principal.actor)
            return jsonResponse((await findMatch(tx, owner, id)) ?? '', { status: 202 })
          })
          return leave === null ? response : await waitForMatch(sql, response, wait * 1_000, request.signal)
        } finally {
          leave?.()
        }
      },
      {
        takesList: 'read',
        idempotent: true,
        query: query(
          {
            wait: t.Optional(
              t.Integer({
                minimum: 0,
                maximum: MAX_WAIT_S,
                byDefault: 0,
                description: `Wait up to this many seconds. If the list is done by then, the response is 200 and has its rows. Each key or account can have ${WAITING_OF_ONE} waiting matches per process.`,
              }),
            ),
          },
          Object.fromEntries(
            Object.keys(bodyFields).map((name) => [
              name,
              `${name} must be in a JSON body: send the list to POST /v1/uploads first, and its id here as upload`,
            ]),
          ),
        ),
        body: Type.Object(bodyFields, {
          ...closed,
          description:
            'The upload to match. Instead of this object, the body can be the list itself, as CSV or NDJSON. These fields as query parameters are refused.',
          examples: [
            {
              upload: '019b76da-8c00-7000-8000-000000000001',
              columns: { 'Owner name': 'owner', 'Property address': 'address' },
              state: 'OR',
            },
          ],
        }),
        response: { 200: match, 202: match, ...keyedErrors, ...notFound, 409: errorBody, 429: errorBody },
        detail: {
          tags: ['matches'],
          summary: 'Match a list to the parcels',
          description: `Finds the parcel of each row by its parcel id, address, owner or point. Text is interpreted as in search, with other spellings, typos, missing parts, and values in the wrong columns. A row is \`matched\` only if one parcel is clearly the best match. Lists of more than ${LIST_BOUNDS.rowsOfReaders} rows need the capability \`enqueue\`; the maximum is ${formatCount(LIST_BOUNDS.rows)}.`,
          operationId: 'addMatch',
          ...LIST_CONTENT,
        },
      },
    )
}

export const tooManyRows = (request: Request): HttpError => {
  const who = request.headers.has('x-service-key') ? 'key' : 'account'
  return new HttpError(
    403,
    `lists of more than ${LIST_BOUNDS.rowsOfReaders} rows need the capability enqueue, which this ${who} lacks`,
  )
}

/** The response of a finished match, with its rows. The first response, if that takes longer or the client is gone. */
const waitForMatch = async (sql: Sql, response: Response, waitMs: number, signal: AbortSignal): Promise<Response> => {
  const { id } = (await response.clone().json()) as { id: string }
  for (
    const deadline = performance.now() + waitMs;
    performance.now() < deadline && !signal.aborted;
    await Bun.sleep(POLL_MS)
  ) {
    const body = await findMatch(sql, null, id)
    const { status } = JSON.parse(body ?? '{}') as { status?: string }
    if (status !== 'done' && status !== 'error') continue
    const rows = await listMatchRows(sql, id, { outcomes: null, after: 0, limit: LIST_BOUNDS.rowsOfReaders })
    return jsonResponse(`${(body ?? '').slice(0, -1)},"results":[${rows.map((row) => row.body).join(',')}]}`)
  }
  return response
}
