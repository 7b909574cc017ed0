import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listAllFindings, listFindings } from '../../../drizzle/queries/findings'
import { FINDING_CATEGORIES, SEVERITIES } from '../../../drizzle/schema/findings'
import { authorization } from '../auth'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { jsonResponse, listResponse, pageJson } from '../json'
import {
  after,
  closed,
  keyedErrors,
  limit,
  next,
  notFound,
  nullable,
  oneOf,
  parcelKey,
  query,
  sourceSlug,
  timestamp,
  uuid,
} from '../schemas'

const severity = oneOf(SEVERITIES)
const category = oneOf(FINDING_CATEGORIES)
const findingFields = {
  id: uuid,
  severity,
  category,
  evidence: Type.Object({}, { additionalProperties: true, description: 'What was seen, by field.' }),
  suggested_action: Type.String(),
  generated_at: timestamp,
}
const finding = Type.Object(findingFields, closed)
const findingOfParcel = Type.Object(
  {
    ...findingFields,
    source: sourceSlug,
    source_parcel_id: Type.String(),
    situs_address: nullable(Type.String()),
  },
  closed,
)

export const findingRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/findings/:source/:id',
      async ({ params, query: { limit = 100 } }) => {
        const findings = await listFindings(sql, params, limit)
        if (findings === null) throw new HttpError(404, 'not found')
        return listResponse('findings', findings)
      },
      {
        needs: 'read',
        params: parcelKey,
        query: query({ limit: limit(500, 100) }),
        response: {
          200: Type.Object({ count: Type.Integer(), findings: Type.Array(finding) }),
          ...keyedErrors,
          ...notFound,
        },
        detail: { tags: ['findings'], summary: 'Review findings of one parcel', operationId: 'listFindings' },
      },
    )
    .get(
      '/admin/findings',
      async ({ query: { severity = null, category = null, source = null, after = null, limit = 100 } }) => {
        const list = (limit: number) => listAllFindings(sql, { severity, category, source, after, limit })
        return jsonResponse(await pageJson('findings', limit, list, ({ id }) => id))
      },
      {
        needs: 'read',
        query: query({
          severity: t.Optional(severity),
          category: t.Optional(category),
          source: t.Optional(sourceSlug),
          limit: limit(500, 100),
          after,
        }),
        response: {
          200: Type.Object({ count: Type.Integer(), findings: Type.Array(findingOfParcel), next }),
          ...keyedErrors,
        },
        detail: {
          tags: ['findings'],
          summary: 'Review findings of all parcels, newest first',
          operationId: 'listAllFindings',
        },
      },
    )
