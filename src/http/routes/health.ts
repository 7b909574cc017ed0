import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ping } from '../../../drizzle/queries/service/ping'
import { errorBody } from '../convention/errors'
import type { Deps } from '../deps'
import { at } from '../schemas'

/** How long Postgres may take to answer before the service calls itself unhealthy. */
const TIMEOUT_MS = 2_000

export const healthRoutes = ({ sql, searchIsDegraded }: Deps) =>
  new Elysia({ normalize: false }).get(
    '/health',
    async () => {
      const answer = await ping(sql, TIMEOUT_MS)
      if (answer !== 'up') {
        const reason = answer === 'late' ? `does not answer within ${TIMEOUT_MS / 1000} s` : 'is away'
        return Response.json({ error: `the database ${reason}` }, { status: 503 })
      }
      const body = { status: 'ok', time: new Date().toISOString() }
      return Response.json(searchIsDegraded() ? { ...body, search: 'degraded' } : body)
    },
    {
      response: {
        200: Type.Object({
          status: Type.Literal('ok', { description: 'The service and its database are up.' }),
          time: at('When it answered.'),
          search: Type.Optional(
            Type.Literal('degraded', { description: 'Present while Meilisearch is away: Postgres answers searches.' }),
          ),
        }),
        503: errorBody,
      },
      detail: {
        tags: ['system'],
        summary: 'Is the service up, and its database',
        description: 'Also 200 while Meilisearch is away: searches are answered by PostgreSQL then.',
        operationId: 'health',
        security: [],
      },
    },
  )
