import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listLoads } from '../../../../drizzle/queries/loads/list-loads'
import { LOAD_STATUSES } from '../../../../drizzle/schema/values'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, oneOf, query, sourceSlug } from '../../schemas'
import { load, STATUS } from './schemas'

export const listLoadsRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '',
    async ({ query: { source, status, limit = 100, after = null }, request }) => {
      const list = (atMost: number) => listLoads(sql, { source, status }, { after, limit: atMost })
      return jsonResponse(await namedFor(sql, request, await pageJson('loads', limit, list, ({ id }) => id)))
    },
    {
      needs: 'admin',
      query: query({
        source: Type.Optional(sourceSlug),
        status: Type.Optional(oneOf(LOAD_STATUSES, STATUS)),
        limit: limit(500, 100),
        after,
      }),
      response: {
        200: Type.Object({ count, loads: Type.Array(load, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['loads'],
        summary: 'List loads',
        description:
          'Files that were ingested and crawls, newest first. `status=held` lists the loads that wait for an admin. `/v1/events?types=load` sends an event when a load is held, applied, discarded or undone.',
        operationId: 'listLoads',
      },
    },
  )
