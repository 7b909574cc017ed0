import { countNoun } from '../text/count-noun'

/** The unit of a rule's threshold. */
export type AlertUnit = 'percent' | 'minutes' | 'hours'

export interface AlertRule {
  title: string
  /** When an alert is raised. `{limit}` is the threshold with its unit. */
  means: string
  /** What to do about it. */
  advice: string
  /** Null: the rule has no threshold. */
  threshold: { unit: AlertUnit; byDefault: number; min: number; max: number } | null
  /** What an alert says. `about`: what it is about, in words. `value`: what was measured, in the unit of the threshold. */
  describe: (about: string, value: number) => string
  /** The page of the console about the subject. */
  pathOf: (subject: string) => string
}

const MAX_HOURS = 24 * 365

const sourcePage = (source: string): string => `/app/console/sources/${encodeURIComponent(source)}`
const vendorPage = (vendor: string): string => `/app/console/concurrency/${encodeURIComponent(vendor)}`

/** All rules on the health of the service, in the order in which they are shown. The table in docs/operate.md is tested against this one. */
export const ALERT_RULES = {
  source_failing: {
    title: 'Source fails',
    means:
      'At least {limit} of the last 50 scrapes of an active source failed. Cancelled scrapes do not count, and unknown parcels only if nearly all are unknown.',
    advice: 'Open the source. It lists the failures by reason and says what to do about each.',
    threshold: { unit: 'percent', byDefault: 50, min: 5, max: 100 },
    describe: (about, value) => `${about}: ${Math.round(value)}% of the last scrapes failed.`,
    pathOf: sourcePage,
  },
  source_unreachable: {
    title: 'Portal cannot be reached',
    means: 'All scrapes of an active source have failed for {limit}, because its portal sends no pages.',
    advice: 'Open the portal in a browser. If it works there, it may refuse the network of the workers.',
    threshold: { unit: 'minutes', byDefault: 60, min: 1, max: MAX_HOURS * 60 },
    describe: (about, value) => `${about}: its portal has sent no page for ${describeSpan(value * 60)}.`,
    pathOf: sourcePage,
  },
  site_changed: {
    title: 'Site changed',
    means: 'The portal of an active source answers, but its pages cannot be read, or it finds none of its parcels.',
    advice:
      'Open the portal in a browser. If it has moved, change the URL of the source. Otherwise correct the adapter.',
    threshold: null,
    describe: (about) => `${about}: its portal answers, but its pages cannot be read, or it finds none of its parcels.`,
    pathOf: sourcePage,
  },
  source_overdue: {
    title: 'Nothing scraped',
    means: 'Nothing was scraped from an active source for its refresh interval plus {limit}.',
    advice: 'Open the source. Check that its jobs run and that its vendor is not paused.',
    threshold: { unit: 'hours', byDefault: 48, min: 1, max: MAX_HOURS },
    describe: (about, value) => `${about}: a refresh has been overdue for ${describeSpan(value * 3_600)}.`,
    pathOf: sourcePage,
  },
  queue_stuck: {
    title: 'Jobs are not taken',
    means: 'Jobs of a vendor are due, and no worker has taken one for {limit}. Paused vendors do not count.',
    advice: 'Check that a worker runs, and read its log. The tuning log of the vendor says if its breaker is open.',
    threshold: { unit: 'minutes', byDefault: 15, min: 2, max: MAX_HOURS * 60 },
    describe: (about, value) => `${about}: no worker has taken a job for ${describeSpan(value * 60)}.`,
    pathOf: vendorPage,
  },
  queue_old: {
    title: 'Old jobs in the queue',
    means: 'The oldest queued job of a vendor has waited for {limit}. Paused vendors do not count.',
    advice: 'Raise the maximum concurrency of the vendor if its portals allow it, or start more workers.',
    threshold: { unit: 'hours', byDefault: 24, min: 1, max: MAX_HOURS },
    describe: (about, value) => `${about}: the oldest job in the queue has waited ${describeSpan(value * 3_600)}.`,
    pathOf: vendorPage,
  },
  search_lag: {
    title: 'Search falls behind',
    means: 'The oldest change that is not in the search index yet is {limit} old.',
    advice: 'Check that Meilisearch answers and that a process with the role sync runs. Read its log.',
    threshold: { unit: 'minutes', byDefault: 5, min: 1, max: MAX_HOURS * 60 },
    describe: (about, value) =>
      `The search index${about === '' ? '' : ` ${about}`} is ${describeSpan(value * 60)} behind.`,
    pathOf: () => '/app/console/search-index',
  },
  tiles_failed: {
    title: 'Tile build failed',
    means: 'The last tile build of a layer failed.',
    advice: 'The page Tiles shows the error. The map shows the last good archive until a build succeeds.',
    threshold: null,
    describe: (about) => `The last tile build of the layer ${about} failed.`,
    pathOf: () => '/app/console/tiles',
  },
  load_held: {
    title: 'Load held',
    means:
      'A load would change more than the limits of its source allow, so it waits for an admin to apply or discard it.',
    advice: 'Open the source. Compare what the load would change, then apply or discard it.',
    threshold: null,
    describe: (about) => `${about}: a load is held until an admin applies or discards it.`,
    pathOf: sourcePage,
  },
  disk_full: {
    title: 'Disk nearly full',
    means: 'At least {limit} of the disk of a data folder is used. Only the machine of the scheduler is measured.',
    advice: 'Free up space on that disk, or move the folder to a larger one.',
    threshold: { unit: 'percent', byDefault: 90, min: 10, max: 100 },
    describe: (about, value) => `The disk of ${about} is ${Math.floor(value)}% full.`,
    pathOf: () => '/app/console/alerts',
  },
  webhook_failing: {
    title: 'Webhook fails',
    means: 'All requests of a watch to its webhook have failed for {limit}.',
    advice: 'Open the watch: it shows the last error. Tell its owner, or pause the watch.',
    threshold: { unit: 'hours', byDefault: 6, min: 1, max: MAX_HOURS },
    describe: (about, value) => `A webhook at ${about} has failed for ${describeSpan(value * 3_600)}.`,
    pathOf: () => '/app/watches',
  },
  webhook_gone: {
    title: 'Webhook gone',
    means: 'A receiver answered with status 410, so its watch was stopped.',
    advice: 'Open the watch. Change the URL of its webhook, or delete the watch.',
    threshold: null,
    describe: (about) => `The webhook receiver ${about} answered with status 410 (gone), so its watch was stopped.`,
    pathOf: () => '/app/watches',
  },
} as const satisfies Record<string, AlertRule>

export type AlertRuleName = keyof typeof ALERT_RULES
export const ALERT_RULE_NAMES = Object.keys(ALERT_RULES) as AlertRuleName[]

/** The rule, with the type that all rules have in common. */
export const ruleOf = (name: AlertRuleName): AlertRule => ALERT_RULES[name]

/** `45 s`, `12 min`, `3 h`, `2 days`. */
export const describeSpan = (seconds: number): string => {
  if (seconds < 90) return `${Math.floor(seconds)} s`
  if (seconds < 5_400) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

/** A threshold with its unit: `50%`, `60 minutes`. */
export const describeThreshold = (value: number, unit: AlertUnit): string =>
  unit === 'percent' ? `${value}%` : countNoun(value, unit.slice(0, -1))

/** When an alert of the rule is raised, with this threshold. */
export const describeRule = (name: AlertRuleName, threshold: number | null): string => {
  const rule = ruleOf(name)
  return rule.threshold === null || threshold === null
    ? rule.means
    : rule.means.replace('{limit}', describeThreshold(threshold, rule.threshold.unit))
}

/** For rules without a threshold: what counts as raised. */
const RAISED = 1
/** An alert ends below this share of its threshold. Between the two it stays as it is, so that a value near the threshold raises it once. */
const ENDS_BELOW = 0.8

/** The value from which on an alert is raised, and the value below which it ends. */
export const levelsOf = (threshold: number | null): { raiseAt: number; keepAt: number } => {
  const raiseAt = threshold ?? RAISED
  return { raiseAt, keepAt: raiseAt * ENDS_BELOW }
}
