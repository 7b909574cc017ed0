import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { updateRefreshPolicy } from '../../../../drizzle/queries/sources/sources'
import { authorization } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, sourceSlug } from '../../schemas'
import { agriculturalOnly, cadence, nextDueAt } from './schemas'

const policy = Type.Object(
  {
    source: sourceSlug,
    cadence,
    next_due_at: nextDueAt,
    agricultural_only: agriculturalOnly,
  },
  { ...closed, component: 'RefreshPolicy', description: 'Refresh policy of a source.' },
)

const TIMESTAMP = 'an ISO 8601 time in the years 2000 to 9999, for example 2026-01-02T03:04:05.678Z'

export const updateRefreshPolicyRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
    '/source-refresh-policies/:source',
    async ({ params, body }) => {
      const { next_due_at, ...rest } = body
      const changed = await updateRefreshPolicy(sql, params.source, {
        ...rest,
        ...(next_due_at !== undefined && { next_due_at: readTime(next_due_at) }),
      })
      if (changed === null) throw new HttpError(404, 'not found')
      return jsonResponse(changed)
    },
    {
      needs: 'admin',
      params: Type.Object({ source: sourceSlug }),
      body: Type.Object(
        {
          cadence: Type.Optional(cadence),
          next_due_at: Type.Optional(
            Type.String({
              takes: TIMESTAMP,
              description: `Due time of the next refresh: ${TIMESTAMP}.`,
              pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?(Z|[+-]\\d\\d:\\d\\d)$',
              examples: ['2026-01-02T03:04:05.678Z'],
            }),
          ),
          agricultural_only: Type.Optional(agriculturalOnly),
        },
        { ...closed, minProperties: 1, description: 'Fields to change.', examples: [{ cadence: 'monthly' }] },
      ),
      response: { 200: policy, ...keyedErrors, ...notFound },
      detail: {
        tags: ['sources'],
        summary: 'Change the refresh policy of a source',
        description: 'Omitted fields keep their values.',
        operationId: 'updateRefreshPolicy',
      },
    },
  )

/**
 * Converts a time to UTC. Rejects times that the pattern allows but that do not exist (30 February) or are outside the years 2000 to 9999.
 *
 * @throws HttpError 400
 */
const readTime = (text: string): string => {
  const time = new Date(text)
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  const year = time.getUTCFullYear()
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
  // The year of an invalid date is NaN.
  if (!isDay || !(year >= 2000 && year <= 9999)) throw new HttpError(400, `next_due_at must be ${TIMESTAMP}`)
  return time.toISOString()
}
