import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { findVendorHistory } from '../../../../drizzle/queries/tuner/keep-history'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, query, vendorName } from '../../schemas'
import { history, LONGEST_HISTORY_HOURS } from './schemas'

export const getConcurrencyHistoryRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/admin/concurrency/:vendor/history',
    async ({ params, query: { hours = 24 }, request }) => {
      const history = await findVendorHistory(sql, params.vendor, hours)
      if (history === null) throw new HttpError(404, 'not found')
      return jsonResponse(await namedFor(sql, request, history))
    },
    {
      needs: 'admin',
      params: Type.Object({ vendor: vendorName }),
      query: query({
        hours: t.Optional(
          t.Integer({
            minimum: 1,
            maximum: LONGEST_HISTORY_HOURS,
            description: 'Length of the history in hours.',
            byDefault: 24,
            examples: [24],
          }),
        ),
      }),
      response: { 200: history, ...keyedErrors, ...notFound },
      detail: {
        tags: ['concurrency'],
        summary: "Get the history of a vendor's scrapes and target",
        description:
          'Each point covers five minutes. Intervals in which no attempt ended have no point; neither has the current interval.',
        operationId: 'getConcurrencyHistory',
      },
    },
  )
