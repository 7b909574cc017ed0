import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listExports } from '../../../../drizzle/queries/exports/exports'
import { authorization, principalOf } from '../../callers/auth'
import { ownerOf } from '../../callers/requester-of'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, query } from '../../schemas'
import { exportJson } from './export-json'
import { parcelExport } from './schemas'

export const listExportsRoute = ({ sql, exports, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '',
    async ({ query: { limit = 100, after = null }, request }) => {
      const list = async (atMost: number) => {
        const rows = await listExports(sql, ownerOf(principalOf(request)), { after, limit: atMost })
        return Promise.all(
          rows.map(async (row) => ({
            id: row.id,
            body: await exportJson({ links: exports.links, baseUrl }, row.id, row),
          })),
        )
      }
      return jsonResponse(await pageJson('exports', limit, list, ({ id }) => id))
    },
    {
      needs: 'bulk-export',
      query: query({ limit: limit(500, 100), after }),
      response: {
        200: Type.Object({ count, exports: Type.Array(parcelExport, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['exports'],
        summary: 'List exports',
        description:
          'Exports to files of your key or account, newest first; admins get all. They are listed for 30 days.',
        operationId: 'listExports',
      },
    },
  )
