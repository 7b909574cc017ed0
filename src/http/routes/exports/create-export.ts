import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { createAdmission } from '../../../../core/concurrency/admission'
import { formatCount } from '../../../../core/text/count-noun'
import { findExport } from '../../../../drizzle/queries/exports/exports'
import { countExported } from '../../../exports/count-exported'
import { encodeExport } from '../../../exports/encode-export'
import { DEFAULT_FIELDS, EXPORT_FIELDS, type ExportField } from '../../../exports/export-columns'
import type { ExportRequest } from '../../../exports/export-request'
import { fileTypeOf } from '../../../exports/file-type'
import { FORMATS } from '../../../exports/formats'
import { MAX_OPEN_EXPORTS, orderExport } from '../../../orders/order-export'
import { authorization, authorizeAgain, principalOf } from '../../callers/auth'
import { readerOf } from '../../callers/caller-of'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import { area, parseArea, relation } from '../../convention/parameters/area'
import { toQuery } from '../../convention/parameters/filter-body'
import { parseParcelFilter, refuseUnindexed } from '../../convention/parameters/parcel-filter'
import { toByteStream } from '../../convention/response/byte-stream'
import type { Deps } from '../../deps'
import { closed, describedBySchema, keyedErrors } from '../../schemas'
import { exportJson } from './export-json'
import { contentOf, delivery, fields, filter, format, geometry, gzip, parcelExport, STREAMED } from './schemas'

const body = Type.Object(
  {
    format,
    gzip: Type.Optional(gzip),
    fields: Type.Optional(fields),
    geometry: Type.Optional(geometry),
    filter: Type.Optional(filter),
    within: Type.Optional(area),
    relation: Type.Optional(relation),
    delivery: Type.Optional(delivery),
  },
  {
    ...closed,
    description: 'What to export, and how.',
    examples: [{ format: 'geoparquet', filter: { source: 'sample-county' } }],
  },
)

const response = { 202: parcelExport, 409: errorBody, 429: errorBody, ...keyedErrors }

const MAX_STREAMED = 100_000
/** A page of a stream is encoded in the thread that answers all requests, in a few milliseconds. */
const STREAM_PAGE_ROWS = 500
/** Streams of this process. A stream holds one page of parcels. */
const MAX_STREAMS = 4
const CHECK_EVERY_MS = 15_000

export const createExportRoute = ({ sql, exports, authenticator, baseUrl }: Deps) => {
  const streams = createAdmission({ what: 'streamed exports', ofOne: 1, inAll: MAX_STREAMS })

  const answerStream = async (request: Request, wanted: ExportRequest): Promise<Response> => {
    if (wanted.place === null) refuseUnindexed(wanted.filter)
    const reader = readerOf(request)
    const leave = streams.admit(reader.id)
    try {
      const counted = await exports.reads.run(reader, (db) => countExported(db, wanted, MAX_STREAMED + 1))
      if (counted > MAX_STREAMED) {
        const most = formatCount(MAX_STREAMED)
        throw new HttpError(400, `the filter selects more than ${most} parcels: narrow it, or use delivery=file`)
      }
      const { origin, bytes } = await encodeExport(exports.reads, reader, wanted, {
        pageRows: STREAM_PAGE_ROWS,
        maxRows: MAX_STREAMED,
        workDir: '',
      })
      const { extension, mediaType } = fileTypeOf(wanted)
      const stream = toByteStream(bytes, {
        stallMs: exports.stallMs,
        check: () => authorizeAgain(request),
        checkEveryMs: CHECK_EVERY_MS,
        onEnd: leave,
      })
      return new Response(stream, {
        headers: {
          'content-type': mediaType,
          'content-disposition': `attachment; filename="parcels${extension}"`,
          'x-dataset-version': String(origin.dataset_version),
          link: `<${baseUrl}/v1/sources>; rel="license"`,
        },
      })
    } catch (error) {
      leave()
      throw error
    }
  }

  return new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '',
      async ({ body, request, once }) => {
        const wanted = parseRequest(body)
        if (body.delivery === 'stream') return answerStream(request, wanted)
        const response = await once(async (tx) => {
          const principal = principalOf(request)
          const caller = watcherOf(principal)
          const order = { filter: body.filter ?? {}, caller, actor: principal.actor, maxBytes: exports.maxBytes }
          const id = await orderExport(tx, wanted, order)
          const row = await findExport(tx, id, null)
          if (row === null) throw new Error('the export was not stored')
          return jsonResponse(await exportJson({ links: exports.links, baseUrl }, id, row), { status: 202 })
        })
        // Also of a repeated request, for which the body is stored.
        const { id } = (await response.clone().json()) as { id: string }
        response.headers.set('location', `/v1/exports/${id}`)
        return response
      },
      {
        needs: 'bulk-export',
        idempotent: true,
        body,
        response,
        detail: {
          tags: ['exports'],
          summary: 'Export parcels',
          description: `Queues an export to a file, and returns it with status 202. \`within\` limits it to an area, as the body of \`POST /v1/parcels/within\` does. \`GET /v1/exports/{id}\` returns its progress and the URL of the file. A caller's exports run one after the other; at most ${MAX_OPEN_EXPORTS} can be queued or running (409). With \`delivery\` \`stream\`, the response is the file, and a caller can have one stream at a time (429). The header \`X-Dataset-Version\` names its version; \`/v1/sources\` has the license and attribution of each source. If the connection closes before the end of the body, the file is not complete. An Idempotency-Key has no effect on a stream.`,
          operationId: 'createExport',
          'x-headers': { 200: ['Content-Disposition', 'Link', 'X-Dataset-Version'], 202: ['Location'] },
          responses: {
            ...describedBySchema(response),
            200: {
              description: 'With `delivery` `stream`: the parcels.',
              content: contentOf(STREAMED),
            },
          },
        },
      },
    )
}

/** @throws HttpError 400 */
const parseRequest = ({
  format,
  gzip = false,
  fields,
  geometry = 'full',
  filter = {},
  within,
  relation,
  delivery,
}: Static<typeof body>) => {
  const { isText, isStreamable, needsGeometry } = FORMATS[format]
  if (gzip && !isText) throw new HttpError(400, `gzip must be false: ${format} is not a text format`)
  if (needsGeometry && geometry === 'none')
    throw new HttpError(400, `geometry must not be none: ${format} has boundaries`)
  if (delivery === 'stream' && !isStreamable) {
    throw new HttpError(400, `delivery must be file: ${format} is sorted or indexed as a whole`)
  }
  if (within !== undefined && filter.bbox !== undefined)
    throw new HttpError(400, 'filter.bbox must be omitted with within: the area is enough')
  if (within === undefined && relation !== undefined)
    throw new HttpError(400, 'relation must be omitted without within: it says how parcels relate to that area')
  const request: ExportRequest = {
    format,
    gzip,
    geometry,
    fields: fields === undefined ? DEFAULT_FIELDS : parseFields(fields),
    filter: parseParcelFilter(toQuery(filter)),
    place: within === undefined ? null : { area: parseArea('within', within), relation: relation ?? 'intersects' },
  }
  return request
}

const KEYS = ['id', 'source', 'source_parcel_id']

/** @throws HttpError 400 */
const parseFields = (names: readonly string[]): ExportField[] =>
  names.flatMap((name) => {
    if (KEYS.includes(name)) return []
    const field = EXPORT_FIELDS.find((known) => known === name)
    if (field === undefined) {
      throw new HttpError(
        400,
        `fields: there is no field ${JSON.stringify(name)}; the fields are ${EXPORT_FIELDS.join(', ')}`,
      )
    }
    return [field]
  })
