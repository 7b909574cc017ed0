import { Elysia } from 'elysia'
import { LIST_BOUNDS } from '../../../../core/bounds'
import { addUpload } from '../../../matches/add-upload'
import { guessColumns } from '../../../matches/guess-columns'
import { cellOf, readListHead } from '../../../matches/read-list'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { LIST_TYPES, sentListOf } from '../../convention/body/list-body'
import { errorBody, HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, NO_IDEMPOTENCY_KEY } from '../../schemas'
import { LIST_CONTENT, upload } from './schemas'

export const addUploadRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).post(
    '/uploads',
    async ({ request, set }) => {
      const list = sentListOf(request)
      if (list === undefined) {
        throw new HttpError(415, `the body must be a list, with Content-Type: ${[...LIST_TYPES.keys()].join(' or ')}`)
      }
      const { columns, samples } = await readListHead(list.content, list.format)
      const guessed = guessColumns(columns)
      const owner = watcherOf(principalOf(request))
      const expiresAt = await sql.begin((tx) => addUpload(tx, { ...list, owner }))
      set.status = 201
      return {
        id: list.id,
        format: list.format,
        lines: list.lines,
        columns: columns.map((name) => ({
          name,
          field: guessed.get(name) ?? null,
          samples: samples.map((row) => cellOf(row, name)),
        })),
        expires_at: expiresAt,
      }
    },
    {
      takesList: 'read',
      response: { 201: upload, ...keyedErrors, 409: errorBody },
      detail: {
        tags: ['matches'],
        summary: 'Upload a list',
        description: `A CSV with a header (also with tabs, semicolons or vertical bars), or NDJSON, of at most ${LIST_BOUNDS.bytes / 1024 / 1024} MiB. Returns its columns and what each most likely contains. The same list has the same id. It is kept for ${LIST_BOUNDS.days} days, or until its last match is deleted. An account, or a key without an account, can have at most ${LIST_BOUNDS.most} uploads, of ${LIST_BOUNDS.storedBytes / 1024 / 1024} MiB in total; beyond that, the response is 409.`,
        operationId: 'addUpload',
        ...NO_IDEMPOTENCY_KEY,
        ...LIST_CONTENT,
      },
    },
  )
