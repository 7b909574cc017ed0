import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { listRejects } from '../../../../drizzle/queries/work/add-rejects'
import { encodeRejects, REJECTS_HEADER } from '../../../loads/encode-rejects'
import { authorization } from '../../callers/auth'
import { errorBody, HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { workKey } from './schemas'

const EXAMPLE = `${REJECTS_HEADER}\r\n7,acreage is -1: it must be 0 or more,12-0345-0670\r\n`

export const getRejectsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/:id/rejects',
    async ({ params: { id } }) => {
      const rejects = isUuid(id) ? await listRejects(sql, id) : null
      if (rejects === null) throw new HttpError(404, 'not found')
      return new Response(encodeRejects(rejects), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="rejected-${id}.csv"`,
        },
      })
    },
    {
      needs: 'admin',
      params: workKey,
      detail: {
        tags: ['work'],
        summary: 'Download the records that work rejected',
        description:
          'A CSV with the line, the reason and the id of each rejected row of a file, or of each record of a crawl. Only the first ones are stored: 10,000 of a file.',
        operationId: 'getWorkRejects',
        'x-headers': { 200: ['Content-Disposition'] },
        responses: {
          200: {
            description: 'The rejected records.',
            content: { 'text/csv': { schema: { type: 'string' }, example: EXAMPLE } },
          },
          ...Object.fromEntries(
            Object.keys({ ...keyedErrors, ...notFound }).map((status) => [
              status,
              { description: '', content: { 'application/json': { schema: errorBody } } },
            ]),
          ),
        },
      },
    },
  )
