import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { changeConcurrency } from '../../../scrape/change-concurrency'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound, vendorName } from '../../schemas'
import { settings, vendor } from './schemas'

export const updateConcurrencyRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
    '/admin/concurrency/:vendor',
    async ({ params, body, request }) => {
      const changed = await changeConcurrency(sql, params.vendor, {
        change: body,
        actor: principalOf(request).actor,
      })
      if (changed === null) throw new HttpError(404, 'not found')
      return jsonResponse(await namedFor(sql, request, changed))
    },
    {
      needs: 'admin',
      params: Type.Object({ vendor: vendorName }),
      body: Type.Partial(Type.Object(settings), {
        ...closed,
        minProperties: 1,
        description: 'Fields to change.',
        examples: [{ mode: 'manual', target_concurrency: 4 }],
      }),
      response: { 200: vendor, ...keyedErrors, ...notFound },
      detail: {
        tags: ['concurrency'],
        summary: "Change a vendor's concurrency settings",
        description:
          'The whole resulting row must be valid, not only the fields that you send. Mode `manual` with a target freezes the target.',
        operationId: 'updateConcurrency',
      },
    },
  )
