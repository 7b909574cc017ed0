import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { DISMISSED, listAllFindings, listFindings } from '../../../../drizzle/queries/findings/findings'
import { FINDING_CATEGORIES, SEVERITIES } from '../../../../drizzle/schema/values'
import { authorization } from '../../callers/auth'
import { callerOf, readerOf } from '../../callers/caller-of'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, listJson, pageJson } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
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
  WHO,
} from '../../schemas'

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
  dismissed: Type.Optional(
    Type.Object(
      {
        at: at('Time of the dismissal.'),
        by: textOf(`Who dismissed it: ${WHO}.`, 'pk_12345'),
        reason: textOf('Why it was dismissed.', 'The deed was recorded late.'),
      },
      {
        ...closed,
        component: 'Dismissal',
        description: 'Only if an operator dismissed it and its evidence has not changed since.',
      },
    ),
  ),
}
const dismissed = t.Optional(
  oneOf(DISMISSED, {
    description: '`true`: only dismissed findings. `any`: all findings. By default, dismissed ones are left out.',
    byDefault: 'false',
    examples: ['any'],
  }),
)
const finding = Type.Object(findingFields, {
  ...closed,
  component: 'Finding',
  description: 'An issue that the review engine found in a parcel.',
})
export const findingOfParcel = Type.Object(
  {
    ...findingFields,
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    situs_address: textOrNull('Street address of the parcel.', '123 N ALDER ST'),
  },
  { ...closed, component: 'ParcelFinding', description: 'A finding with its parcel.' },
)

export const findingRoutes = ({ sql, reads, listTurns, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/findings/:source/:id',
      async ({ params, query: { dismissed = 'false', limit = 100 }, request }) => {
        const findings = await reads.run(readerOf(request), (db) => listFindings(db, params, { dismissed, limit }))
        if (findings === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, listJson('findings', findings)))
      },
      {
        needs: 'read',
        params: parcelKey,
        query: query({ dismissed, limit: limit(500, 100) }),
        response: {
          200: Type.Object({ count, findings: Type.Array(finding, { description: 'Most severe first.' }) }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          tags: ['findings'],
          summary: 'List the findings of one parcel',
          description:
            'Often empty. A finding keeps its id as long as its cause persists. Dismissed findings are left out unless `dismissed` is given.',
          operationId: 'listFindings',
        },
      },
    )
    .get(
      '/admin/findings',
      async ({ query: { severity = null, category = null, source = null, after = null, ...rest }, request }) => {
        const { dismissed = 'false', limit = 100 } = rest
        const caller = callerOf(request)
        const list = (limit: number) =>
          reads.run(caller, (db) => listAllFindings(db, { dismissed, severity, category, source, after, limit }))
        return listTurns.run(caller, async () =>
          jsonResponse(await namedFor(sql, request, await pageJson('findings', limit, list, ({ id }) => id))),
        )
      },
      {
        needs: 'read',
        query: query({
          dismissed,
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
