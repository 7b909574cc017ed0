import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { updateRefreshPolicy } from '../../../drizzle/queries/sources'
import { authorization } from '../auth'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { jsonResponse } from '../json'
import { closed, keyedErrors, notFound, sourceSlug, timestamp } from '../schemas'
import { cadence } from './sources'

const policy = Type.Object(
  {
    source: sourceSlug,
    cadence,
    next_due_at: timestamp,
    agricultural_only: Type.Boolean({ description: 'Only agricultural parcels are refreshed.' }),
  },
  closed,
)

const TIMESTAMP = 'a time in ISO 8601, for example 2026-01-02T03:04:05.678Z'

export const sourceRefreshPolicyRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
    '/source-refresh-policies/:source',
    async ({ params, body }) => {
      if (body.next_due_at !== undefined && !isRealTime(body.next_due_at)) {
        throw new HttpError(400, `next_due_at must be ${TIMESTAMP}`)
      }
      const changed = await updateRefreshPolicy(sql, params.source, body)
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
              pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?(Z|[+-]\\d\\d:\\d\\d)$',
              examples: ['2026-01-02T03:04:05.678Z'],
            }),
          ),
          agricultural_only: Type.Optional(Type.Boolean()),
        },
        { ...closed, minProperties: 1, examples: [{ cadence: 'monthly' }] },
      ),
      response: { 200: policy, ...keyedErrors, ...notFound },
      detail: {
        tags: ['sources'],
        summary: 'How often a source is refreshed, and when next',
        operationId: 'updateRefreshPolicy',
      },
    },
  )

/** The pattern lets 30 February through; the calendar does not. */
const isRealTime = (text: string): boolean => {
  const time = new Date(text)
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return (
    !Number.isNaN(time.getTime()) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
  )
}
