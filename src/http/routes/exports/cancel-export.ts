import { Elysia } from 'elysia'
import { findExport } from '../../../../drizzle/queries/exports/exports'
import { cancelWork } from '../../../orders/cancel-work'
import { authorization, principalOf } from '../../callers/auth'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { exportJson } from './export-json'
import { exportKey, parcelExport } from './schemas'

export const cancelExportRoute = ({ sql, exports, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/:id',
    async ({ params: { id }, request }) => {
      const find = () => findOwned(request, id, (owner) => findExport(sql, id, owner))
      await find()
      await cancelWork(sql, id, principalOf(request).actor)
      return jsonResponse(await exportJson({ links: exports.links, baseUrl }, id, await find()))
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
