import { Type } from '@sinclair/typebox'
import { ALERT_RULE_NAMES, ALERT_RULES, type AlertRuleName, ruleOf } from '../../../../core/alerts/alert-rules'
import { at, atOrNull, closed, countOf, idOf, nullable, oneOf, textOf, textOrNull, uuid, WHO } from '../../schemas'

const EXAMPLE = ALERT_RULES.source_failing

export const ruleName = oneOf(ALERT_RULE_NAMES as [AlertRuleName, ...AlertRuleName[]], {
  component: 'AlertRuleName',
  description: 'Name of a rule. `GET /v1/alert-rules` says what each means.',
  examples: ['source_failing'],
})

const number = (description: string, example: number) => Type.Number({ description, examples: [example] })
const numberOrNull = (description: string, example: number) => nullable(number(description, example))

const UNITS = 'In the unit of the rule’s threshold: percent, minutes or hours.'

export const alert = Type.Object(
  {
    id: idOf('alert'),
    rule: ruleName,
    subject: textOf(
      'What the alert is about: a source, a vendor, a layer, a data folder or a receiver. Empty: the service.',
      'sample-county',
    ),
    state: oneOf(['raised', 'resolved'], {
      description: '`raised`, or `resolved` after it has ended.',
      examples: ['raised'],
    }),
    text: textOf('What was last measured, in words.', EXAMPLE.describe('Larkspur, OR', 64)),
    value: number(`What was last measured. ${UNITS} 1 for rules without a threshold.`, 64),
    threshold: numberOrNull(`The threshold when it was raised. ${UNITS} Null: the rule has none.`, 50),
    raised_at: at('When it was raised.'),
    resolved_at: atOrNull('When it ended; null while it is raised.'),
    told_at: atOrNull('When the message about it was queued for the webhooks; null while it is silenced.'),
    silenced_until: atOrNull('When the silence ends; null: it is not silenced.'),
    silenced_by: textOrNull(`Who silenced it: ${WHO}.`, 'ops@example.org'),
    silence_reason: textOrNull('Why it is silenced.', 'The county moves its portal this week.'),
    console_url: textOf('Its page in the console.', 'https://parcels.example/app/console/sources/sample-county'),
  },
  { ...closed, component: 'Alert', description: 'An alert: one subject that a rule applies to.' },
)

export const alertKey = Type.Object({
  id: Type.String({ description: 'An alert id (UUID).', examples: uuid.examples as unknown[] }),
})
export const ruleKey = Type.Object({ rule: ruleName })

export const threshold = numberOrNull('The value at which an alert is raised. Null: the default.', 60)

export const alertRule = Type.Object(
  {
    rule: ruleName,
    title: textOf('Short name.', EXAMPLE.title),
    means: textOf('When an alert is raised.', EXAMPLE.means.replace('{limit}', '50%')),
    advice: textOf('What to do about it.', EXAMPLE.advice),
    active: Type.Boolean({ description: 'Whether the rule is checked.', examples: [true] }),
    unit: Type.Union([oneOf(['percent', 'minutes', 'hours']), Type.Null()], {
      description: 'Unit of the threshold. Null: the rule has no threshold.',
      examples: ['percent'],
    }),
    threshold: numberOrNull('The value at which an alert is raised. Null: the rule has no threshold.', 50),
    default_threshold: numberOrNull('The default threshold. Null: the rule has no threshold.', 50),
    min_threshold: numberOrNull('The lowest threshold that is accepted.', ruleOf('source_failing').threshold?.min ?? 0),
    max_threshold: numberOrNull('The highest threshold that is accepted.', 100),
    raised: countOf('Number of its alerts that are raised.', 1),
    updated_at: atOrNull('When an admin last changed it; null: never.'),
    updated_by: textOrNull(`Who changed it: ${WHO}.`, 'ops@example.org'),
  },
  { ...closed, component: 'AlertRule', description: 'A rule about the health of the service.' },
)
