import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { type ExportFile, findExport } from '../../../../drizzle/queries/exports/exports'
import { FORMAT_NAMES } from '../../../exports/formats'
import { errorBody, HttpError } from '../../convention/errors'
import { parseRange } from '../../convention/response/byte-range'
import { matchesEtag } from '../../convention/response/conditional'
import type { Deps } from '../../deps'
import { describedBySchema, FILE_HEADERS, query } from '../../schemas'
import { contentOf, exportKey } from './schemas'

const response = { 400: errorBody, 403: errorBody, 404: errorBody, 500: errorBody, 503: errorBody }
const bytes = { content: contentOf(FORMAT_NAMES) }

export const downloadExportRoute = ({ sql, exports: { store, links } }: Deps) =>
  new Elysia({ normalize: false }).get(
    '/:id/file',
    async ({ params: { id }, query: { expires, signature }, request, set }) => {
      set.headers['cache-control'] = 'private, no-cache'
      const row = isUuid(id) ? await findExport(sql, id, null) : null
      if (row === null || row.file === null) throw new HttpError(404, 'there is no such file, or it has expired')
      if (!(await links.isValid(id, row.file, { expires, signature }))) {
        throw new HttpError(403, 'this link is not valid, or it has expired: get the export for a new one')
      }
      const slice = await store.open(row.file.name, row.file.sizeBytes)
      if (slice === null) throw new HttpError(404, 'the file is not in EXPORTS_URL of this process')
      return answerFile(request, row.file, slice)
    },
    {
      params: exportKey,
      query: query({
        expires: Type.String({
          maxLength: 20,
          description: 'When the URL expires, in Unix seconds.',
          examples: ['1770000000'],
        }),
        signature: Type.String({ maxLength: 100, description: 'The signature of the URL.', examples: ['5f2a'] }),
      }),
      response,
      detail: {
        tags: ['exports'],
        summary: 'Download the file of an export',
        description:
          'Use `download_url` of the export. It needs no key. To continue a download that broke, request the missing range (`Range`, RFC 9110, 14.2) with `If-Range`: the `ETag` of a file never changes, even with a new URL.',
        operationId: 'downloadExport',
        security: [],
        'x-headers': {
          ...FILE_HEADERS,
          200: [...FILE_HEADERS[200], 'Content-Disposition'],
          206: [...FILE_HEADERS[206], 'Content-Disposition'],
        },
        responses: {
          200: { description: 'The whole file.', ...bytes },
          206: { description: 'The requested range.', ...bytes },
          304: { description: 'Not modified: it still matches If-None-Match.' },
          416: { description: '' },
          ...describedBySchema(response),
        },
      },
    },
  )

/** The file, or one range of it (RFC 9110, 14). */
const answerFile = (
  { headers: asked }: Request,
  { name, mediaType, sizeBytes, sha256 }: ExportFile,
  slice: (start: number, end: number) => Blob | ReadableStream,
): Response => {
  const etag = `"${sha256.slice(0, 32)}"`
  const headers = { etag, 'accept-ranges': 'bytes' }
  if (matchesEtag(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  const condition = asked.get('if-range')
  const range = parseRange(condition === null || condition === etag ? asked.get('range') : null, sizeBytes)
  if (range === 'unsatisfiable') {
    const error = `the range is outside the file, which has ${sizeBytes} bytes`
    return Response.json({ error }, { status: 416, headers: { ...headers, 'content-range': `bytes */${sizeBytes}` } })
  }
  const { start, end } = range === 'all' ? { start: 0, end: sizeBytes } : range
  return new Response(slice(start, end), {
    status: range === 'all' ? 200 : 206,
    headers: {
      ...headers,
      'content-type': mediaType,
      'content-length': String(end - start),
      'content-disposition': `attachment; filename="parcels-${name}"`,
      ...(range === 'all' ? {} : { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` }),
    },
  })
}
