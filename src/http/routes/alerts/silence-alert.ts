import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { TEXT } from '../../../../core/bounds'
import { isUuid } from '../../../../core/text/uuid'
import { silenceAlert } from '../../../../drizzle/queries/alerts/alerts'
import { silence } from '../../../operations/alerts/change-alerts'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import { COMING_TIME, parseTime, timeInBody } from '../../convention/parameters/parse-time'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound } from '../../schemas'
import { alertJson } from './list-alerts'
import { alert, alertKey } from './schemas'

export const silenceAlertRoute = ({ sql, authenticator, baseUrl }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .put(
      '/alerts/:id/silence',
      async ({ params: { id }, body: { until: text, reason = null }, request }) => {
        const { actor } = principalOf(request)
        const until = parseTime('until', text)
        const silenced = isUuid(id) ? await silence(sql, id, { until, reason, actor }) : null
        if (silenced === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, alertJson(silenced, baseUrl)))
      },
      {
        needs: 'admin',
        params: alertKey,
        body: Type.Object(
          {
            until: timeInBody('When the silence ends: at most 90 days from now.', COMING_TIME),
            reason: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: TEXT.name,
                takes: `a text of 1 to ${TEXT.name} characters`,
                description: 'Why, for the other admins.',
                examples: ['The county moves its portal this week.'],
              }),
            ),
          },
          { ...closed, description: 'Until when, and why.', examples: [{ until: COMING_TIME }] },
        ),
        response: { 200: alert, ...keyedErrors, ...notFound },
        detail: {
          tags: ['alerts'],
          summary: 'Silence an alert',
          description:
            'Until the silence ends, webhooks get no message when the rule raises an alert for this subject. If an alert is still raised when the silence ends, they get the message at that time. If they got the message that an alert was raised, they also get the message that it ended.',
          operationId: 'silenceAlert',
        },
      },
    )
    .delete(
      '/alerts/:id/silence',
      async ({ params: { id }, request }) => {
        const { actor } = principalOf(request)
        const heard = isUuid(id) ? await silenceAlert(sql, id, { until: null, reason: null, actor }) : null
        if (heard === null) throw new HttpError(404, 'not found')
        return jsonResponse(await namedFor(sql, request, alertJson(heard, baseUrl)))
      },
      {
        needs: 'admin',
        params: alertKey,
        response: { 200: alert, ...keyedErrors, ...notFound },
        detail: {
          tags: ['alerts'],
          summary: 'End the silence of an alert',
          description:
            'If the alert is still raised and no message about it was sent, the webhooks get one within a minute.',
          operationId: 'endAlertSilence',
        },
      },
    )
