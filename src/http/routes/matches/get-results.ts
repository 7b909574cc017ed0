import { Elysia, t } from 'elysia'
import { RESULT_FORMATS, writeResults } from '../../../matches/write-results'
import { authorization } from '../../callers/auth'
import { errorBody, HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, oneOf, query } from '../../schemas'
import { matchOf } from './get-match'
import { matchKey, outcomeFilter, parseOutcomes } from './schemas'

const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

const EXAMPLE =
  'address,zip,match_row,match_outcome,match_score,match_decided_by,match_reason,match_count,match_source,match_source_parcel_id,match_situs_address,match_situs_city,match_situs_zip,match_owner_name,match_candidates\r\n2982 W 50th Street,97900,2,matched,1,address,,1,sample-county,12-0001-0010,2982 W 50TH ST,LARKSPUR,97900,WEBB LINH A,\r\n'

export const getMatchResultsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/matches/:id/results',
    async ({ params: { id }, query: { outcome, format = 'csv' }, request }) => {
      const outcomes = parseOutcomes(outcome)
      const { status } = JSON.parse(await matchOf(sql, request, id)) as { status: string }
      // Rows are stored in steps, so the file of a match that is running or was cancelled lacks some.
      if (status !== 'done') throw new HttpError(409, 'the match is not done')
      const headers = {
        'content-type': MEDIA_TYPES[format],
        'content-disposition': `attachment; filename="match-${id}.${format}"`,
      }
      if (request.method === 'HEAD') return new Response(null, { headers })
      return new Response(writeResults(sql, id, { format, outcomes }), { headers })
    },
    {
      needs: 'read',
      params: matchKey,
      query: query({
        outcome: outcomeFilter,
        format: t.Optional(oneOf(RESULT_FORMATS, { byDefault: 'csv', description: 'Format of the file.' })),
      }),
      detail: {
        tags: ['matches'],
        summary: 'Download the rows of a match with their results',
        description:
          'A CSV with the columns of the list and those of the result, or NDJSON with the rows as `/rows` returns them. 409: the match is not done.',
        operationId: 'getMatchResults',
        'x-headers': { 200: ['Content-Disposition'] },
        responses: {
          200: {
            description: 'The rows of the match.',
            content: {
              'text/csv': { schema: { type: 'string' }, example: EXAMPLE },
              'application/x-ndjson': { schema: { type: 'string' } },
            },
          },
          ...Object.fromEntries(
            Object.keys({ ...keyedErrors, ...notFound, 409: errorBody }).map((status) => [
              status,
              { description: '', content: { 'application/json': { schema: errorBody } } },
            ]),
          ),
        },
      },
    },
  )
