import { ALERT_RULE_NAMES, type AlertRuleName, describeRule, levelsOf, ruleOf } from '../../../core/alerts/alert-rules'
import { runEach } from '../../../core/concurrency/run-each'
import type { Sql, Transaction } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { listStoredRules } from '../../../drizzle/queries/alerts/alerts'
import { MEASURES, type Measurement } from '../../../drizzle/queries/alerts/measure-health'
import {
  type AlertMessage,
  type SentAlert,
  storeAlerts,
  tellAlerts,
} from '../../../drizzle/queries/alerts/store-alerts'
import type { DataFolder } from '../../config'
import { measureDisks } from './measure-disks'

/** Maximum alerts that one message lists. It also has the total number. */
const MAX_ALERTS = 50
/** An alert ends when its value has been low enough for this many minutes, so that a fluctuating value raises it only once. */
const ENDS_AFTER_MINUTES = 5

export interface HealthDeps {
  /** Folders whose disks are measured. */
  folders: readonly DataFolder[]
  /** Public address of the service: messages link to the console. */
  baseUrl: string
  /** How long a minute is. Tests shorten it. */
  minuteMs: number
}

/** A rule with its effective threshold. */
export interface RuleInForce {
  name: AlertRuleName
  threshold: number | null
  active: boolean
}

/** All rules, with the operators' changes. */
export const listRules = async (db: Sql | Transaction): Promise<RuleInForce[]> => {
  const stored = new Map((await listStoredRules(db)).map((row) => [row.rule, row]))
  return ALERT_RULE_NAMES.map((name) => ({
    name,
    threshold: stored.get(name)?.threshold ?? ruleOf(name).threshold?.byDefault ?? null,
    active: stored.get(name)?.active ?? true,
  }))
}

/**
 * Measures each rule, raises and ends its alerts, and queues the messages about them. Each rule is one transaction under the lead, so a
 * process that has lost the lead stores and sends nothing. A rule that fails does not stop the others.
 *
 * @throws the first error, after all rules
 */
export const judgeHealth = async (sql: Sql, lead: Lead, deps: HealthDeps): Promise<void> => {
  await runEach(await listRules(sql), (rule) => lead.begin(sql, (tx) => judgeRule(tx, rule, deps)))
}

const judgeRule = async (
  tx: Transaction,
  { name, threshold, active }: RuleInForce,
  deps: HealthDeps,
): Promise<void> => {
  const { raiseAt, keepAt } = levelsOf(threshold)
  // If a rule is switched off, its alerts end.
  const measured = active ? await measure(tx, name, keepAt, deps.folders) : []
  const told = await storeAlerts(tx, {
    rule: name,
    threshold,
    endsAfterMs: active ? ENDS_AFTER_MINUTES * deps.minuteMs : 0,
    subjects: measured
      .filter(({ value }) => value >= keepAt)
      .map(({ subject, about, value }) => ({
        subject,
        value,
        isRaised: value >= raiseAt,
        text: ruleOf(name).describe(about, value),
      })),
  })
  for (const state of ['resolved', 'raised'] as const) {
    if (told[state].length > 0) await tellAlerts(tx, messageOf(name, state, told[state], threshold, deps.baseUrl))
  }
}

const measure = (
  tx: Transaction,
  name: AlertRuleName,
  from: number,
  folders: readonly DataFolder[],
): Promise<Measurement[]> => (name === 'disk_full' ? measureDisks(folders) : MEASURES[name](tx, from))

/**
 * One message for all alerts of a rule that begin or end in the same minute, so that hundreds of sources that fail together cause one
 * request.
 */
const messageOf = (
  rule: AlertRuleName,
  state: AlertMessage['state'],
  alerts: readonly SentAlert[],
  threshold: number | null,
  baseUrl: string,
): AlertMessage => {
  const { title, advice, pathOf } = ruleOf(rule)
  const listed = alerts.slice(0, MAX_ALERTS).map(({ subject, body }) => ({
    ...JSON.parse(body),
    console_url: baseUrl + pathOf(subject),
  }))
  const about = { rule, state, title, means: describeRule(rule, threshold), advice, count: alerts.length }
  return {
    rule,
    state,
    count: alerts.length,
    body: JSON.stringify({ ...about, alerts: listed, console_url: `${baseUrl}/app/console/alerts` }),
  }
}
