import { Elysia } from 'elysia'
import { findExport } from '../../../../drizzle/queries/exports/exports'
import { cancelWork } from '../../../orders/cancel-work'
import { isUuid } from '../../../parcels/is-uuid'
import { authorization, principalOf } from '../../callers/auth'
import { ownerOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { exportJson } from './export-json'
import { exportKey, parcelExport } from './schemas'

export const cancelExportRoute = ({ sql, exports, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/:id',
    async ({ params: { id }, request }) => {
      const principal = principalOf(request)
      const find = () => (isUuid(id) ? findExport(sql, id, ownerOf(principal)) : null)
      if ((await find()) === null) throw new HttpError(404, 'not found')
      await cancelWork(sql, id, principal.actor)
      const row = await find()
      if (row === null) throw new HttpError(404, 'not found')
      return jsonResponse(await exportJson({ links: exports.links, baseUrl }, id, row))
    },
    {
      needs: 'bulk-export',
      params: exportKey,
      response: { 200: parcelExport, ...keyedErrors, ...notFound },
      detail: {
        tags: ['exports'],
        summary: 'Cancel a queued or running export',
        description: 'A running export stops within seconds. 404 if the export has ended.',
        operationId: 'cancelExport',
      },
    },
  )
