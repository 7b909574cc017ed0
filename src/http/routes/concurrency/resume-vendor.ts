import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { resumeVendor } from '../../../scrape/pause-vendor'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, vendorName } from '../../schemas'
import { vendor } from './schemas'

export const resumeVendorRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/admin/concurrency/:vendor/pause',
    async ({ params, request }) => {
      const resumed = await resumeVendor(sql, params.vendor, principalOf(request).actor)
      if (resumed === null) throw new HttpError(404, 'not found')
      return jsonResponse(await namedFor(sql, request, resumed))
    },
    {
      needs: 'admin',
      params: Type.Object({ vendor: vendorName }),
      response: { 200: vendor, ...keyedErrors, ...notFound },
      detail: {
        tags: ['concurrency'],
        summary: 'Resume a paused vendor',
        description: 'Its jobs start again, up to its target. A vendor that is not paused stays as it is.',
        operationId: 'resumeVendor',
      },
    },
  )
