import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { updateRefreshPolicy } from '../../../drizzle/queries/sources/sources'
import { authorization } from '../callers/auth'
import { HttpError } from '../convention/errors'
import { jsonResponse } from '../convention/json'
import type { Deps } from '../deps'
import { closed, keyedErrors, notFound, sourceSlug } from '../schemas'
import { agriculturalOnly, cadence, nextDueAt } from './sources'

const policy = Type.Object(
  {
    source: sourceSlug,
    cadence,
    next_due_at: nextDueAt,
    agricultural_only: agriculturalOnly,
  },
  { ...closed, component: 'RefreshPolicy', description: 'How often a source is refreshed.' },
)

const TIMESTAMP = 'a time in ISO 8601 of the years 2000 to 9999, for example 2026-01-02T03:04:05.678Z'

export const sourceRefreshPolicyRoutes = ({ sql, authenticator }: Deps) =>
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
              description: `When the next refresh is due: ${TIMESTAMP}.`,
              pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?(Z|[+-]\\d\\d:\\d\\d)$',
              examples: ['2026-01-02T03:04:05.678Z'],
            }),
          ),
          agricultural_only: Type.Optional(agriculturalOnly),
        },
        { ...closed, minProperties: 1, description: 'What is to change.', examples: [{ cadence: 'monthly' }] },
      ),
      response: { 200: policy, ...keyedErrors, ...notFound },
      detail: {
        tags: ['sources'],
        summary: 'Change how often a source is refreshed, and when next',
        description: 'What is left out stays.',
        operationId: 'updateRefreshPolicy',
      },
    },
  )

/**
 * The same moment in UTC. The pattern lets 30 February through, and years that PostgreSQL does not know: the calendar does not.
 *
 * @throws HttpError 400
 */
const readTime = (text: string): string => {
  const time = new Date(text)
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  const year = time.getUTCFullYear()
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
  // A time that is none has the year NaN.
  if (!isDay || !(year >= 2000 && year <= 9999)) throw new HttpError(400, `next_due_at must be ${TIMESTAMP}`)
  return time.toISOString()
}
