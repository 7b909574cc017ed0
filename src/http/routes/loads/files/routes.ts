import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { FILE_BOUNDS } from '../../../../../core/bounds'
import type { Db } from '../../../../../core/postgres/database'
import { isUuid } from '../../../../../core/text/uuid'
import { deleteFile, findFile, listFiles } from '../../../../../drizzle/queries/files/files'
import { addPart, beginFile } from '../../../../loads/upload-file'
import { authorization } from '../../../callers/auth'
import { namedFor } from '../../../callers/named-for'
import { requesterOf } from '../../../callers/requester-of'
import { FILE_PART_TYPE, filePartOf } from '../../../convention/body/file-part'
import { jsonResponse, pageJson } from '../../../convention/body/json'
import { errorBody, HttpError } from '../../../convention/errors'
import { idempotency } from '../../../convention/idempotency'
import type { Deps } from '../../../deps'
import { after, closed, count, keyedErrors, limit, next, notFound, query } from '../../../schemas'
import { file, fileKey, fileName } from './schemas'

const MIB = 1024 ** 2

/** @throws HttpError 404 */
const getFileJson = async (db: Db, id: string): Promise<string> => {
  const body = isUuid(id) ? await findFile(db, id) : null
  if (body === null) throw new HttpError(404, 'not found')
  return body
}

const addFileRoute = ({ sql, authenticator, maxUploadBytes }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '',
      ({ body: { name, size_bytes }, request, once }) =>
        once(async (tx) => {
          const announced = { name, sizeBytes: size_bytes, createdBy: requesterOf(request).name }
          const body = await beginFile(tx, announced, { maxBytes: maxUploadBytes })
          return jsonResponse(await namedFor(tx, request, body), { status: 201 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        body: Type.Object(
          {
            name: fileName,
            size_bytes: Type.Integer({
              minimum: 1,
              maximum: Number.MAX_SAFE_INTEGER,
              takes: 'the size of the file in bytes, at least 1',
              description: 'Size of the file.',
              examples: [48_210_334],
            }),
          },
          { ...closed, description: 'The file.', examples: [{ name: 'parcels-2026.zip', size_bytes: 48_210_334 }] },
        ),
        response: { 201: file, ...keyedErrors, 409: errorBody },
        detail: {
          tags: ['loads'],
          summary: 'Begin the upload of a file of parcels',
          description: `Announces a file. Then send its parts in order (\`PATCH /v1/files/{id}\`), each of at most ${FILE_BOUNDS.partBytes / MIB} MiB. \`UPLOADS_MAX_MB\` limits the size of all files together: a larger file returns 400, and 409 means that other files use up the space. A file is deleted ${FILE_BOUNDS.days} days after its last part.`,
          operationId: 'addFile',
        },
      },
    )

const addPartRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
    '/:id',
    async ({ params: { id }, query: { offset }, request }) => {
      const content = filePartOf(request)
      await sql.begin((tx) => addPart(tx, id, { start: offset, content }))
      return jsonResponse(await namedFor(sql, request, await getFileJson(sql, id)))
    },
    {
      takesFilePart: 'admin',
      params: fileKey,
      query: query({
        offset: t.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Where the part begins: `received_bytes` of the file.',
          examples: [0],
        }),
      }),
      response: { 200: file, ...keyedErrors, ...notFound, 409: errorBody },
      detail: {
        tags: ['loads'],
        summary: 'Send the next part of a file',
        description:
          'If the upload was interrupted, get the file and continue at `received_bytes`. The last part can be sent again. 409: `offset` is not where the next part begins.',
        operationId: 'addFilePart',
        'x-body': {
          description: 'The next bytes of the file.',
          content: { [FILE_PART_TYPE]: { schema: { type: 'string', format: 'binary' } } },
        },
      },
    },
  )

const readRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '',
      async ({ query: { limit = 100, after = null }, request }) => {
        const list = (atMost: number) => listFiles(sql, { after, limit: atMost })
        return jsonResponse(await namedFor(sql, request, await pageJson('files', limit, list, ({ id }) => id)))
      },
      {
        needs: 'admin',
        query: query({ limit: limit(500, 100), after }),
        response: {
          200: Type.Object({ count, files: Type.Array(file, { description: 'Newest first.' }), next }),
          ...keyedErrors,
        },
        detail: {
          tags: ['loads'],
          summary: 'List uploaded files of parcels',
          description: 'Complete files and files that are still being uploaded, newest first.',
          operationId: 'listFiles',
        },
      },
    )
    .get(
      '/:id',
      async ({ params: { id }, request }) => jsonResponse(await namedFor(sql, request, await getFileJson(sql, id))),
      {
        needs: 'admin',
        params: fileKey,
        response: { 200: file, ...keyedErrors, ...notFound },
        detail: {
          tags: ['loads'],
          summary: 'Get one uploaded file',
          description: 'Shows how much of it has been received.',
          operationId: 'getFile',
        },
      },
    )
    .delete(
      '/:id',
      async ({ params: { id }, request }) => {
        const body = await getFileJson(sql, id)
        if (!(await deleteFile(sql, id))) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, body))
      },
      {
        needs: 'admin',
        params: fileKey,
        response: { 200: file, ...keyedErrors, ...notFound },
        detail: {
          tags: ['loads'],
          summary: 'Delete an uploaded file',
          description: 'Parcels that were loaded from it stay.',
          operationId: 'removeFile',
        },
      },
    )

export const fileRoutes = (deps: Deps) =>
  new Elysia({ normalize: false, prefix: '/files' })
    .use(addFileRoute(deps))
    .use(addPartRoute(deps))
    .use(readRoutes(deps))
