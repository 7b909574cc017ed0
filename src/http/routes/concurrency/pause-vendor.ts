import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { pauseVendor } from '../../../scrape/pause-vendor'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import { parseTime } from '../../convention/parameters/parse-time'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, vendorName } from '../../schemas'
import { pauseBody, vendor } from './schemas'

export const pauseVendorRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).put(
    '/admin/concurrency/:vendor/pause',
    async ({ params, body: { reason, until }, request }) => {
      const { actor } = principalOf(request)
      const paused = await pauseVendor(sql, params.vendor, {
        reason: reason.trim(),
        actor,
        until: typeof until === 'string' ? parseTime('until', until) : null,
      })
      if (paused === null) throw new HttpError(404, 'not found')
      return jsonResponse(await namedFor(sql, request, paused))
    },
    {
      needs: 'admin',
      params: Type.Object({ vendor: vendorName }),
      body: pauseBody,
      response: { 200: vendor, ...keyedErrors, ...notFound },
      detail: {
        tags: ['concurrency'],
        summary: 'Pause a vendor',
        description:
          'No scrape of the vendor starts, and running ones stop and are queued again. New jobs wait. `scrape-now` and dry runs return 409. The target stays as it is. Pause it again to change the reason or the end.',
        operationId: 'pauseVendor',
      },
    },
  )
