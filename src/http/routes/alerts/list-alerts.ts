import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { type AlertRuleName, ruleOf } from '../../../../core/alerts/alert-rules'
import { listAlerts } from '../../../../drizzle/queries/alerts/alerts'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, oneOf, query } from '../../schemas'
import { alert, ruleName } from './schemas'

interface AlertRow {
  rule: AlertRuleName
  subject: string
  /** JSON text. */
  body: string
}

/** An alert as JSON text, with the URL of its page. */
export const alertJson = ({ rule, subject, body }: AlertRow, baseUrl: string): string =>
  `${body.slice(0, -1)},"console_url":${JSON.stringify(baseUrl + ruleOf(rule).pathOf(subject))}}`

export const listAlertsRoute = ({ sql, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/alerts',
    async ({ query: { state = null, rule = null, limit = 100, after = null }, request }) => {
      const list = async (atMost: number) =>
        (await listAlerts(sql, { state, rule, after, limit: atMost })).map((row) => ({
          id: row.id,
          body: alertJson(row, baseUrl),
        }))
      return jsonResponse(await namedFor(sql, request, await pageJson('alerts', limit, list, ({ id }) => id)))
    },
    {
      needs: 'admin',
      query: query({
        state: t.Optional(
          oneOf(['raised', 'resolved'], {
            takes: 'raised or resolved',
            description: 'Only current alerts, or only past ones.',
            examples: ['raised'],
          }),
        ),
        rule: t.Optional(ruleName),
        limit: limit(500, 100),
        after,
      }),
      response: {
        200: Type.Object({ count, alerts: Type.Array(alert, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['alerts'],
        summary: 'List alerts, newest first',
        description:
          'Current and past alerts. They are kept for 90 days after they ended. To get messages about them, add a watch of the kind `alerts` (`POST /v1/watches`).',
        operationId: 'listAlerts',
      },
    },
  )
