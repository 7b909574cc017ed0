import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { describeStates, hasNoStates } from '../../../../core/state-set'
import { ping } from '../../../../drizzle/queries/service/ping'
import { errorBody } from '../../convention/errors'
import type { Deps } from '../../deps'
import { at } from '../../schemas'

/** The service is unhealthy if PostgreSQL takes longer than this to respond. */
const TIMEOUT_MS = 2_000

export const healthRoutes = ({ sql, degradedStates }: Deps) =>
  new Elysia({ normalize: false }).get(
    '/health',
    async () => {
      const answer = await ping(sql, TIMEOUT_MS)
      if (answer !== 'up') {
        const reason = answer === 'late' ? `did not respond within ${TIMEOUT_MS / 1000} s` : 'is unavailable'
        return Response.json({ error: `the database ${reason}` }, { status: 503 })
      }
      const body = { status: 'ok', time: new Date().toISOString() }
      const states = degradedStates()
      if (hasNoStates(states)) return Response.json(body)
      return Response.json({ ...body, search: 'degraded', degraded_states: describeStates(states) })
    },
    {
      response: {
        200: Type.Object({
          status: Type.Literal('ok', { description: 'The service and its database are up.' }),
          time: at('Time of the response.'),
          degraded_states: Type.Optional(
            Type.String({
              description: 'The states whose searches run on PostgreSQL. Present together with `search`.',
              examples: ['OR, WA'],
            }),
          ),
          search: Type.Optional(
            Type.Literal('degraded', {
              description: 'Present while Meilisearch is unavailable and searches run on PostgreSQL.',
            }),
          ),
        }),
        503: errorBody,
      },
      detail: {
        tags: ['system'],
        summary: 'Check the service and its database',
        description: 'Returns 200 even while Meilisearch is unavailable: searches then run on PostgreSQL.',
        operationId: 'health',
        security: [],
      },
    },
  )
