import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ALERT_RULE_NAMES, type AlertRuleName, describeRule, ruleOf } from '../../../../core/alerts/alert-rules'
import type { Sql } from '../../../../core/postgres/database'
import { countRaised, listStoredRules } from '../../../../drizzle/queries/alerts/alerts'
import { changeRule } from '../../../operations/alerts/change-alerts'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse, listJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { closed, count, keyedErrors } from '../../schemas'
import { alertRule, ruleKey, threshold } from './schemas'

/** Rules as JSON texts, in the order of the table. */
const listRules = async (sql: Sql, names: readonly AlertRuleName[] = ALERT_RULE_NAMES): Promise<string[]> => {
  const stored = new Map((await listStoredRules(sql)).map((row) => [row.rule, row]))
  const counts = new Map((await countRaised(sql)).map(({ rule, raised }) => [rule, raised]))
  return names.map((rule) => {
    const { title, advice, threshold: limits } = ruleOf(rule)
    const row = stored.get(rule)
    const value = row?.threshold ?? limits?.byDefault ?? null
    return JSON.stringify({
      rule,
      title,
      means: describeRule(rule, value),
      advice,
      active: row?.active ?? true,
      unit: limits?.unit ?? null,
      threshold: value,
      default_threshold: limits?.byDefault ?? null,
      min_threshold: limits?.min ?? null,
      max_threshold: limits?.max ?? null,
      raised: counts.get(rule) ?? 0,
      updated_at: row?.updatedAt ?? null,
      updated_by: row?.updatedBy ?? null,
    })
  })
}

export const alertRulesRoutes = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/alert-rules',
      async ({ request }) => jsonResponse(await namedFor(sql, request, listJson('rules', await listRules(sql)))),
      {
        needs: 'admin',
        response: {
          200: Type.Object({ count, rules: Type.Array(alertRule, { description: 'All rules.' }) }),
          ...keyedErrors,
        },
        detail: {
          tags: ['alerts'],
          summary: 'List the alert rules',
          description: 'The rules are fixed. Each is checked once a minute.',
          operationId: 'listAlertRules',
        },
      },
    )
    .patch(
      '/alert-rules/:rule',
      async ({ params: { rule }, body, request }) => {
        await changeRule(sql, rule, { ...body, actor: principalOf(request).actor })
        const [changed = ''] = await listRules(sql, [rule])
        return jsonResponse(await namedFor(sql, request, changed))
      },
      {
        needs: 'admin',
        params: ruleKey,
        body: Type.Partial(
          Type.Object({
            active: Type.Boolean({
              takes: 'true or false',
              description: 'Whether the rule is checked. When it is switched off, its alerts end.',
              examples: [false],
            }),
            threshold,
          }),
          { ...closed, minProperties: 1, description: 'Fields to change.', examples: [{ threshold: 60 }] },
        ),
        response: { 200: alertRule, ...keyedErrors },
        detail: {
          tags: ['alerts'],
          summary: 'Change the threshold of a rule, or switch it on or off',
          description: 'Takes effect within a minute. `threshold: null` restores the default.',
          operationId: 'updateAlertRule',
        },
      },
    )
