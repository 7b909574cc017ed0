import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listVendors } from '../../../../drizzle/queries/tuner/concurrency'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, wholeOrPageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { afterName, count, keyedErrors, limit, nextIfLimited, query, vendorName } from '../../schemas'
import { vendor } from './schemas'

export const listConcurrencyRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/admin/concurrency',
    async ({ query: { limit, after }, request }) => {
      const list = (limit: number | null) => listVendors(sql, { after: after ?? null, limit })
      const text = await wholeOrPageJson('vendors', limit, list, ({ vendor }) => vendor)
      return jsonResponse(await namedFor(sql, request, text))
    },
    {
      needs: 'read',
      query: query({ limit: limit(500), after: afterName(vendorName) }),
      response: {
        200: Type.Object({
          count,
          vendors: Type.Array(vendor, { description: 'Ordered by name.' }),
          next: nextIfLimited,
        }),
        ...keyedErrors,
      },
      detail: {
        tags: ['concurrency'],
        summary: 'List the concurrency settings of vendors',
        description: 'Returns all vendors unless `limit` is given.',
        operationId: 'listConcurrency',
      },
    },
  )
