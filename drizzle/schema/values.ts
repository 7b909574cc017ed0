/*
 * The values of columns that have only a few. They are apart from the tables because the running service, whose statements are SQL, uses only
 * them: it does not load Drizzle, whose thousands of objects every collection of garbage would visit.
 */

export const JOB_STATUSES = ['queued', 'running', 'done', 'error'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** Why queued work waits: `drizzle/queries/work/why-waiting.ts`. */
export const WAIT_REASONS = ['retry', 'load', 'pause', 'breaker'] as const

/**
 * Priorities of a vendor's jobs, highest first. `high` is for jobs that a caller waits for, `normal` for refreshes and bulk requests.
 * Normal jobs need no reserved share. If a caller requests a parcel that a refresh has queued, that job's priority is raised, so the
 * refresh makes progress too. High jobs can starve a refresh only if callers request the same parcels again after each scrape, faster
 * than the vendor can be scraped. Then those callers themselves wait the longest.
 */
export const JOB_PRIORITIES = ['high', 'normal'] as const
export type JobPriority = (typeof JOB_PRIORITIES)[number]

/** `ordered_by` of jobs that no caller requested: those of the scheduler. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

export const CONCURRENCY_MODES = ['auto', 'manual'] as const

export const SEVERITIES = ['info', 'low', 'medium', 'high'] as const

export const FINDING_CATEGORIES = ['ownership', 'valuation', 'tax', 'exemption', 'geometry', 'data-quality'] as const

export const LOAD_KINDS = ['ingest', 'crawl'] as const
export type LoadKind = (typeof LOAD_KINDS)[number]

/**
 * `staging`: its records are being read. `held`: it would change too much, so an admin must apply or discard it. `failed`: it stopped
 * while being applied, and a part of it is stored.
 */
export const LOAD_STATUSES = ['staging', 'held', 'applying', 'applied', 'discarded', 'undone', 'failed'] as const
export type LoadStatus = (typeof LOAD_STATUSES)[number]

/** The cause of a change. `replay`: a kept page of a portal was read again. `operator`: the statement gave no cause, for example because it was typed into psql. */
export const CAUSES = ['ingest', 'crawl', 'scrape', 'replay', 'review', 'undo', 'operator'] as const
export type Cause = (typeof CAUSES)[number]

/** `returned`: the source lists a retired parcel again. `deleted`: the row is gone. */
export const CHANGE_ACTIONS = ['created', 'changed', 'retired', 'returned', 'deleted'] as const
export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

/**
 * How land passed from a retired parcel to others: `split` into smaller ones, `merge` into a larger one, or `replaced` by one with about
 * the same boundary.
 */
export const LINK_KINDS = ['split', 'merge', 'replaced'] as const
export type LinkKind = (typeof LINK_KINDS)[number]

export const ACCOUNT_ROLES = ['member', 'admin'] as const
/** Admins manage sources, jobs, concurrency, and the roles and plans of other people. */
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

export const ACCOUNT_PLANS = ['free', 'paid'] as const
/** Accounts with a paid plan may request scrapes and export parcels, and issue keys that may. */
export type AccountPlan = (typeof ACCOUNT_PLANS)[number]

export const EVENT_KINDS = ['job', 'crawl', 'reindex', 'tile_build', 'work', 'watch', 'load', 'source'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** `site_changed`: the portal answers, but differently than before. `fetch_failed`: its pages cannot be fetched. */
export const SOURCE_PROBLEMS = ['site_changed', 'fetch_failed'] as const
export type SourceProblem = (typeof SOURCE_PROBLEMS)[number]

export const CADENCES = ['daily', 'weekly', 'monthly', 'quarterly', 'annual', 'tax-statement-window'] as const
export type Cadence = (typeof CADENCES)[number]

export const WATCH_KINDS = ['parcel', 'owner', 'polygon', 'source', 'alerts'] as const
/**
 * What a watch follows: one parcel, the parcels of an owner, the parcels that overlap a polygon, all parcels of a source, or the alerts
 * of the service.
 */
export type WatchKind = (typeof WATCH_KINDS)[number]

/** `recorded`: the watch had no webhook, so nothing is sent. `failed`: it was given up. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'recorded'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
