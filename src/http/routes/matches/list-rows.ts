import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listMatchRows } from '../../../../drizzle/queries/matches/match-rows'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { jsonResponse, listJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { count, countOrNull, keyedErrors, limit, notFound, query } from '../../schemas'
import { matchOf } from './get-match'
import { matchKey, matchRow, outcomeFilter, parseOutcomes } from './schemas'

const MAX_ROWS = 5_000

export const listMatchRowsRoute = ({ sql, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/matches/:id/rows',
    async ({ params: { id }, query: { outcome, limit = 500, after = 0 }, request }) => {
      const outcomes = parseOutcomes(outcome)
      await matchOf(sql, request, id)
      const rows = await listTurns.run(callerOf(request), () =>
        listMatchRows(sql, id, { outcomes, after, limit: limit + 1 }),
      )
      const page = rows.slice(0, limit)
      const next = rows.length > limit ? (page.at(-1)?.row ?? null) : null
      const body = listJson(
        'rows',
        page.map((row) => row.body),
      )
      return jsonResponse(`${body.slice(0, -1)},"next":${next}}`)
    },
    {
      needs: 'read',
      params: matchKey,
      query: query({
        outcome: outcomeFilter,
        limit: limit(MAX_ROWS, 500),
        after: t.Optional(t.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: '`next` of the previous page.' })),
      }),
      response: {
        200: Type.Object({
          count,
          rows: Type.Array(matchRow, { description: 'In the order of the list.' }),
          next: countOrNull('`after` for the next page; null on the last page.', 501),
        }),
        ...keyedErrors,
        ...notFound,
      },
      detail: {
        tags: ['matches'],
        summary: 'List the rows of a match with their results',
        description:
          'With `outcome=no_match,invalid`, returns only the rows that failed. The list is empty until the match is nearly done.',
        operationId: 'listMatchRows',
      },
    },
  )
