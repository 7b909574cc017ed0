import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listFindings } from '../../../drizzle/queries/findings'
import { FINDING_CATEGORIES, SEVERITIES } from '../../../drizzle/schema/findings'
import { authorization } from '../auth'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { listResponse } from '../json'
import { closed, keyedErrors, limit, notFound, parcelKey, query, timestamp, uuid } from '../schemas'

const finding = Type.Object(
  {
    id: uuid,
    severity: Type.Union(SEVERITIES.map((value) => Type.Literal(value))),
    category: Type.Union(FINDING_CATEGORIES.map((value) => Type.Literal(value))),
    evidence: Type.Object({}, { additionalProperties: true, description: 'What was seen, by field.' }),
    suggested_action: Type.String(),
    generated_at: timestamp,
  },
  closed,
)

export const findingRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
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
