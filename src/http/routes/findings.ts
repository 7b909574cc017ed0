import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listAllFindings, listFindings } from '../../../drizzle/queries/parcels/findings'
import { FINDING_CATEGORIES, SEVERITIES } from '../../../drizzle/schema/findings'
import { authorization } from '../callers/auth'
import { callerOf } from '../callers/caller-of'
import { HttpError } from '../convention/errors'
import { jsonResponse, listResponse, pageJson } from '../convention/json'
import type { Deps } from '../deps'
import {
  after,
  at,
  closed,
  count,
  idOf,
  keyedErrors,
  limit,
  next,
  notFound,
  oneOf,
  parcelKey,
  query,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
} from '../schemas'

const severity = oneOf(SEVERITIES, { description: 'Severity.', examples: ['medium'] })
const category = oneOf(FINDING_CATEGORIES, { description: 'Category.', examples: ['ownership'] })
const findingFields = {
  id: idOf('finding'),
  severity,
  category,
  evidence: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'Observed values, by field.',
      examples: [{ was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE' }],
    },
  ),
  suggested_action: textOf('Suggested next step.', 'Check the deed of the transfer.'),
  generated_at: at('Time when it first appeared.'),
}
const finding = Type.Object(findingFields, {
  ...closed,
  component: 'Finding',
  description: 'An issue that the review engine found in a parcel.',
})
const findingOfParcel = Type.Object(
  {
    ...findingFields,
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    situs_address: textOrNull('Street address of the parcel.', '123 N ALDER ST'),
  },
  { ...closed, component: 'ParcelFinding', description: 'A finding with its parcel.' },
)

export const findingRoutes = ({ sql, listTurns, authenticator }: Deps) =>
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
          200: Type.Object({ count, findings: Type.Array(finding, { description: 'Most severe first.' }) }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['findings'],
          summary: 'List the findings of one parcel',
          description: 'Often empty. A finding keeps its id as long as its cause persists.',
          operationId: 'listFindings',
        },
      },
    )
    .get(
      '/admin/findings',
      async ({ query: { severity = null, category = null, source = null, after = null, limit = 100 }, request }) => {
        const list = (limit: number) => listAllFindings(sql, { severity, category, source, after, limit })
        return listTurns.run(callerOf(request), async () =>
          jsonResponse(await pageJson('findings', limit, list, ({ id }) => id)),
        )
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
          200: Type.Object({
            count,
            findings: Type.Array(findingOfParcel, { description: 'Newest first.' }),
            next,
          }),
          ...keyedErrors,
        },
        detail: {
          tags: ['findings'],
          summary: 'List the findings of all parcels, newest first',
          description: 'Filters can be combined. Use `after` to get the next page.',
          operationId: 'listAllFindings',
        },
      },
    )
