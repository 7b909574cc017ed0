import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listWork } from '../../../../drizzle/queries/work/list-work'
import { JOB_STATUSES } from '../../../../drizzle/schema/values'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, oneOf, query, sourceSlug } from '../../schemas'
import { STATUS, work, workKind } from './schemas'

export const listWorkRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '',
    async ({ query: { kind, status, source, limit = 100, after = null }, request }) => {
      const list = (atMost: number) => listWork(sql, { kind, status, source }, { after, limit: atMost })
      return jsonResponse(await namedFor(sql, request, await pageJson('work', limit, list, ({ id }) => id)))
    },
    {
      needs: 'admin',
      query: query({
        kind: Type.Optional(workKind),
        status: Type.Optional(oneOf(JOB_STATUSES, STATUS)),
        source: Type.Optional(sourceSlug),
        limit: limit(500, 100),
        after,
      }),
      response: {
        200: Type.Object({ count, work: Type.Array(work, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['work'],
        summary: 'List long-running work',
        description:
          'All long-running work except scrape jobs, newest first. Finished work is kept for 30 days. `/v1/events?types=work` sends an event for each step.',
        operationId: 'listWork',
      },
    },
  )
