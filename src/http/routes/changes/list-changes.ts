import { Elysia, t } from 'elysia'
import { createAdmission } from '../../../../core/concurrency/admission'
import { splitAtAntimeridian } from '../../../../core/geometry/bbox'
import { isLoggedField, LOGGED_FIELDS } from '../../../../core/parcels/fields'
import { authorization, authorizeAgain } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { parseWords } from '../../convention/parameters/parcel-filter'
import { bbox, parseBbox } from '../../convention/parameters/parse-bbox'
import { parseTime, time } from '../../convention/parameters/parse-time'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { keyedErrors, limit, query, sourceSlug, TELLS_VERSION } from '../../schemas'
import { findStart, readChanges } from './read-changes'
import { changePage } from './schemas'

const LONGEST_WAIT_S = 30
/** How long a response may take after the wait, to read its last page. */
const RESPONSE_S = 15

export const listChangesRoute = ({ reads, datasetVersion, listTurns, authenticator }: Deps) => {
  const admission = createAdmission({ what: 'waiting requests', ofOne: 10, inAll: 1_000 })
  return new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/changes',
      async ({ query: { limit = 100, wait = 0, ...query }, request, server }) => {
        if (query.after !== undefined && query.since !== undefined) {
          throw new HttpError(400, 'after and since must not be given together')
        }
        const filter = {
          source: query.source ?? null,
          fields: query.fields === undefined ? null : parseFields(query.fields),
          owner: parseWords('owner', query.owner),
          boxes: query.bbox === undefined ? null : splitAtAntimeridian(parseBbox(query.bbox)),
        }
        const caller = callerOf(request)
        let after =
          query.since === undefined
            ? (query.after ?? 0)
            : await findStart(reads, caller, parseTime('since', query.since))
        const answerBy = performance.now() + wait * 1_000
        const leave = wait === 0 ? null : admission.admit(caller.id)
        server?.timeout(request, wait + RESPONSE_S)
        try {
          for (;;) {
            const wanted = { after, limit, filter }
            const { count, rows, reached, watermark } = await listTurns.run(caller, () =>
              readChanges({ reads, datasetVersion }, caller, wanted),
            )
            const next = Math.max(after, reached)
            const leftMs = answerBy - performance.now()
            const mayWait = count === 0 && next >= watermark && leftMs > 0
            if (!mayWait || request.signal.aborted || datasetVersion.isStopped()) {
              return jsonResponse(`{"changes":[${rows}],"next":${next},"watermark":${watermark}}`)
            }
            after = next
            await datasetVersion.waitBeyond(Math.max(next, watermark), leftMs, request.signal)
            await authorizeAgain(request)
          }
        } finally {
          leave?.()
        }
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: query({
          after: t.Optional(
            t.Integer({
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
              description: 'Changes after this version: `next` of the last response.',
              byDefault: 0,
              examples: [70_412],
            }),
          ),
          since: time('Starts with the changes at this time. Use it instead of `after`.'),
          source: t.Optional(sourceSlug),
          bbox: t.Optional({
            ...bbox,
            description: `Only changes of parcels whose bounding box intersects this one before or after the change. ${bbox.description}`,
          }),
          fields: t.Optional(
            t.String({
              description: 'Only changes of these fields, comma-separated. `scrape_data` stands for all its members.',
              examples: ['owner_name,owner_mailing_address'],
            }),
          ),
          owner: t.Optional(
            t.String({
              minLength: 1,
              maxLength: 500,
              description:
                'Only parcels of this owner, before or after the change. Case, punctuation and forms such as `L.L.C.` do not matter.',
              examples: ['Juniper Ada & Bo'],
            }),
          ),
          wait: t.Optional(
            t.Integer({
              minimum: 0,
              maximum: LONGEST_WAIT_S,
              description: 'If there is no change, wait for one, for up to this many seconds.',
              byDefault: 0,
              examples: [30],
            }),
          ),
          limit: limit(1_000, 100),
        }),
        response: { 200: changePage, ...keyedErrors, 429: errorBody },
        detail: {
          ...TELLS_VERSION,
          tags: ['changes'],
          summary: 'Follow the changes of parcels',
          description:
            'Every change since the log began, in the order of versions. Begin with `after=0`, `since`, or the `X-Dataset-Version` of a response that you have. Then request again with `after` = `next`. You get each change exactly once, also while others write. If `after` is above the newest version, the response is 400: the database was restored from a backup, so request the parcels again. With filters, a page reads a limited part of the log, so it can be empty although `next` is below `watermark`. Pages with very large changes have fewer than `limit`. Each key or account can have 10 waiting requests per process.',
          operationId: 'listChanges',
        },
      },
    )
}

/** @throws HttpError 400 */
const parseFields = (text: string): string[] => {
  const names = text.split(',').map((name) => name.trim())
  if (names.every(isLoggedField)) return names
  throw new HttpError(400, `fields must be a comma-separated subset of ${LOGGED_FIELDS.join(', ')}`)
}
