import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listTuningLog } from '../../../../drizzle/queries/tuner/tuning-log'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, listJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { count, keyedErrors, limit, query, vendorName } from '../../schemas'
import { tuningEntry } from './schemas'

export const listTuningLogRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/admin/tuning-log',
    async ({ query: { vendor, limit = 50 }, request }) => {
      const entries = await listTuningLog(sql, { vendor: vendor ?? null, limit })
      return jsonResponse(await namedFor(sql, request, listJson('entries', entries)))
    },
    {
      needs: 'read',
      query: query({ vendor: t.Optional(vendorName), limit: limit(500, 50) }),
      response: {
        200: Type.Object({ count, entries: Type.Array(tuningEntry, { description: 'Newest first.' }) }),
        ...keyedErrors,
      },
      detail: {
        tags: ['concurrency'],
        summary: 'List changes to concurrency settings, newest first',
        description: 'Changes by the tuner and by people. Entries are kept for 90 days.',
        operationId: 'listTuningLog',
      },
    },
  )
