import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { LIST_BOUNDS } from '../../../../core/bounds'
import { findMatch, findMatchInput } from '../../../../drizzle/queries/matches/matches'
import { MATCH_OUTCOMES } from '../../../../search/match/decide'
import { orderMatch } from '../../../matches/order-match'
import { authorization, principalOf } from '../../callers/auth'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, oneOf } from '../../schemas'
import { tooManyRows } from './add-match'
import { columns, match, matchKey } from './schemas'

const FAILED = ['no_match', 'invalid'] as const

export const retryMatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/matches/:id/retry',
      ({ params: { id }, body, request, once }) =>
        once(async (tx) => {
          const principal = principalOf(request)
          const former = await findOwned(request, id, (owner) => findMatch(tx, owner, id))
          const input = await findMatchInput(tx, id)
          if (input === null) throw new HttpError(404, 'not found')
          const { counts } = JSON.parse(former) as { counts: Record<string, number> | null }
          if (counts === null) throw new HttpError(409, 'the match is not done')
          const outcomes = [...new Set<string>(body?.outcomes ?? FAILED)]
          const rows = outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0)
          if (rows === 0) throw new HttpError(409, `the match has no rows that are ${outcomes.join(' or ')}`)
          if (principal.capability === 'read' && rows > LIST_BOUNDS.rowsOfReaders) throw tooManyRows(request)
          const again = await orderMatch(
            tx,
            { ...input, upload: null, retryOf: id, outcomes, columns: body?.columns ?? input.columns },
            principal.actor,
          )
          return jsonResponse((await findMatch(tx, null, again)) ?? '', { status: 202 })
        }),
      {
        needs: 'read',
        idempotent: true,
        params: matchKey,
        body: Type.Union([
          Type.Object(
            {
              outcomes: Type.Optional(
                Type.Array(oneOf(MATCH_OUTCOMES), {
                  minItems: 1,
                  maxItems: MATCH_OUTCOMES.length,
                  description: 'Rows with these outcomes. Default: `no_match` and `invalid`.',
                  examples: [['no_match', 'tie']],
                }),
              ),
              columns: Type.Optional(columns),
            },
            { ...closed, description: 'Which rows, and other columns.', examples: [{ outcomes: ['no_match'] }] },
          ),
          Type.Null(),
        ]),
        response: { 202: match, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['matches'],
          summary: 'Match the failed rows of a list again',
          description:
            'A new match of the rows that were not matched, for example after parcels were loaded, or with other columns. The rows keep their numbers.',
          operationId: 'retryMatch',
        },
      },
    )
