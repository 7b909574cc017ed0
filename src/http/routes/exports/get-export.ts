import { Elysia } from 'elysia'
import { findExport } from '../../../../drizzle/queries/exports/exports'
import { authorization } from '../../callers/auth'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { exportJson } from './export-json'
import { exportKey, parcelExport } from './schemas'

export const getExportRoute = ({ sql, exports, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/:id',
    async ({ params: { id }, request }) => {
      const row = await findOwned(request, id, (owner) => findExport(sql, id, owner))
      return jsonResponse(await exportJson({ links: exports.links, baseUrl }, id, row))
    },
    {
      needs: 'bulk-export',
      params: exportKey,
      response: { 200: parcelExport, ...keyedErrors, ...notFound },
      detail: {
        tags: ['exports'],
        summary: 'Get an export, with the URL of its file',
        description:
          'Finds exports of your key or account; admins find all. `/v1/events?types=work` sends an event for each step to admins.',
        operationId: 'getExport',
      },
    },
  )
